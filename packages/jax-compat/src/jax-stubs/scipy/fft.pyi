from treadle.scipy.fft import *
