from treadle.scipy.interpolate import *
