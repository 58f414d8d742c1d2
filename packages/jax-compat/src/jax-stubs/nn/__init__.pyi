from treadle.nn import *
