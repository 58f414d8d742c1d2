from treadle.debug import *
