from treadle.scipy.sparse import *
