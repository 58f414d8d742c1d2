from treadle.experimental.sparse.ad import *
