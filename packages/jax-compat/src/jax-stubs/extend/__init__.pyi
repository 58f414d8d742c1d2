from treadle.extend import *
