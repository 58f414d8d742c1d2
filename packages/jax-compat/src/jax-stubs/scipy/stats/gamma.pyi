from treadle.scipy.stats.gamma import *
