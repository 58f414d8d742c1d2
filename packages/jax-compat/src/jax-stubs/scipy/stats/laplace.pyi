from treadle.scipy.stats.laplace import *
