from treadle.scipy.stats.beta import *
