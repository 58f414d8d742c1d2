from treadle.profiler import *
