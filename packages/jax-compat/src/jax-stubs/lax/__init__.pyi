from treadle.lax import *
