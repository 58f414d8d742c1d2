from treadle.extend.backend import *
