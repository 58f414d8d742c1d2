from treadle.experimental.random import *
