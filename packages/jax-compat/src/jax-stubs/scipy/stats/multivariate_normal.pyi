from treadle.scipy.stats.multivariate_normal import *
