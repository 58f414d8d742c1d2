from treadle.scipy.stats.betabinom import *
