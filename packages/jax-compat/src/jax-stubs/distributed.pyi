from treadle.distributed import *
