from treadle.scipy.stats.cauchy import *
