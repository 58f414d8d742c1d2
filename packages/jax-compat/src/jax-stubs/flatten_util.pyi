from treadle.flatten_util import *
