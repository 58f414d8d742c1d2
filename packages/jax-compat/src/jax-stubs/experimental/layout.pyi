from treadle.experimental.layout import *
