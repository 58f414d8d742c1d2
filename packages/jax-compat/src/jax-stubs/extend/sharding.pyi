from treadle.extend.sharding import *
