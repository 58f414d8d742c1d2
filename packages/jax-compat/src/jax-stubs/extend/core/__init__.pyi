from treadle.extend.core import *
