from treadle.scipy.stats.t import *
