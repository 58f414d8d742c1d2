from treadle.stages import *
