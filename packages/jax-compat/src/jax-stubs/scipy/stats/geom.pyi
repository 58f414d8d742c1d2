from treadle.scipy.stats.geom import *
