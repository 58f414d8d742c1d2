from treadle.scipy.stats.poisson import *
