from treadle.scipy.stats.chi2 import *
