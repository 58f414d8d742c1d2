from treadle.experimental.sparse.bcsr import *
