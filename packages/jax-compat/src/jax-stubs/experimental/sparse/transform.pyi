from treadle.experimental.sparse.transform import *
