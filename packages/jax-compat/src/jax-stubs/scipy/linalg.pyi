from treadle.scipy.linalg import *
