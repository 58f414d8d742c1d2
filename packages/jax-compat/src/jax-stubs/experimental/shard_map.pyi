from treadle.experimental.shard_map import *
