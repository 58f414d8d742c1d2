from treadle.scipy.signal import *
