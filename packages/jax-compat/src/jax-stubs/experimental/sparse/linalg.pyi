from treadle.experimental.sparse.linalg import *
