from treadle.extend.random import *
