from treadle.scipy.stats.binom import *
