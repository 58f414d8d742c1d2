from treadle.ops import *
