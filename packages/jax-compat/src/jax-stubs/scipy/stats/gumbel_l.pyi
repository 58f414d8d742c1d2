from treadle.scipy.stats.gumbel_l import *
