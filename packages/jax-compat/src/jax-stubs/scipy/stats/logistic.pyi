from treadle.scipy.stats.logistic import *
