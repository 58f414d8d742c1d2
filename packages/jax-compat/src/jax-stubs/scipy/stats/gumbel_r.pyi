from treadle.scipy.stats.gumbel_r import *
