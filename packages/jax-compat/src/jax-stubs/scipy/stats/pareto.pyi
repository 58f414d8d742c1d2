from treadle.scipy.stats.pareto import *
