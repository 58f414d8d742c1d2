from treadle.experimental.sparse.util import *
