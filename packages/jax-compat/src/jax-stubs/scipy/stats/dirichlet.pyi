from treadle.scipy.stats.dirichlet import *
