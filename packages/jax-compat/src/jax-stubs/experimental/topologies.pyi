from treadle.experimental.topologies import *
