from treadle.experimental.roofline import *
