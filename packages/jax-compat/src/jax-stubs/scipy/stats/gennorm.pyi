from treadle.scipy.stats.gennorm import *
