from treadle.lax.linalg import *
