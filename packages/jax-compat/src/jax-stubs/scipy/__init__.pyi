from treadle.scipy import *
