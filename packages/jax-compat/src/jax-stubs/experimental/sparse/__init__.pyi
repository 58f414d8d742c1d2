from treadle.experimental.sparse import *
