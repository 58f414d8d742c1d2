from treadle.numpy.linalg import *
