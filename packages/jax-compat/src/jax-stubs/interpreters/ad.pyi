from treadle.interpreters.ad import *
