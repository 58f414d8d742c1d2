from treadle.numpy import *
