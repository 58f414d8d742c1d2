from treadle.experimental.jet import *
