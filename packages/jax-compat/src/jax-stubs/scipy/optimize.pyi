from treadle.scipy.optimize import *
