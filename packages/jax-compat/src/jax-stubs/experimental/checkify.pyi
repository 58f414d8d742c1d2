from treadle.experimental.checkify import *
