from treadle.experimental.compute_on import *
