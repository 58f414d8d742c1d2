from treadle.dlpack import *
