from treadle.experimental.compilation_cache import *
