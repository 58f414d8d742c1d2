from treadle.experimental.custom_partitioning import *
