from treadle.scipy.stats.wrapcauchy import *
