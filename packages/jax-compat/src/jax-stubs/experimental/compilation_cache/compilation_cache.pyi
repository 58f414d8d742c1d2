from treadle.experimental.compilation_cache.compilation_cache import *
