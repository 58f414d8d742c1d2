from treadle.extend.lowering import *
