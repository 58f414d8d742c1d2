from treadle.test_util import *
