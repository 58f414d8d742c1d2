from treadle.sharding import *
