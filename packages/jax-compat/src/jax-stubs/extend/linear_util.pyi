from treadle.extend.linear_util import *
