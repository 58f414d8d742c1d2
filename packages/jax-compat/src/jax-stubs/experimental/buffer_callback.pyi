from treadle.experimental.buffer_callback import *
