from treadle.random import *
