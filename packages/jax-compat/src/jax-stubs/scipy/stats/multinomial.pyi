from treadle.scipy.stats.multinomial import *
