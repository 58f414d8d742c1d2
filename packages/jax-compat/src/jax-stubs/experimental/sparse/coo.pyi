from treadle.experimental.sparse.coo import *
