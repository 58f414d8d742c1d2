from treadle.experimental.sparse.random import *
