from treadle.scipy.stats.nbinom import *
