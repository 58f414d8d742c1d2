from treadle.scipy.special import *
