from treadle.ffi import *
