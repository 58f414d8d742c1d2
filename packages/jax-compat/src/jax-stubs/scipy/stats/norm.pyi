from treadle.scipy.stats.norm import *
