from treadle.scipy.stats.truncnorm import *
