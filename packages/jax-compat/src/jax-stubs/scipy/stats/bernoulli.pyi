from treadle.scipy.stats.bernoulli import *
