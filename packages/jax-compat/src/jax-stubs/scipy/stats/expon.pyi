from treadle.scipy.stats.expon import *
