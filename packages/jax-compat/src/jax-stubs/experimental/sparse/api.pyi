from treadle.experimental.sparse.api import *
