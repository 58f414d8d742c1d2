from treadle.experimental.xla_metadata import *
