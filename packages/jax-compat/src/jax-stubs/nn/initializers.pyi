from treadle.nn.initializers import *
