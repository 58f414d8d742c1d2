from treadle.experimental.sparse.csr import *
