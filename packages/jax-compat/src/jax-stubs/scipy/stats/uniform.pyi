from treadle.scipy.stats.uniform import *
