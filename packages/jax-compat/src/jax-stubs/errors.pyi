from treadle.errors import *
