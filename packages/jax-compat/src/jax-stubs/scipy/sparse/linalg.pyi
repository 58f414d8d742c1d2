from treadle.scipy.sparse.linalg import *
