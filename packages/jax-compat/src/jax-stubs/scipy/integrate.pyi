from treadle.scipy.integrate import *
