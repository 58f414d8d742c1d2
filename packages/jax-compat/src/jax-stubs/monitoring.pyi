from treadle.monitoring import *
