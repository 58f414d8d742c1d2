from treadle.scipy.stats import *
