from treadle.export import *
