from treadle.scipy.stats.vonmises import *
