from treadle.experimental.sparse.bcoo import *
