from treadle.numpy.fft import *
