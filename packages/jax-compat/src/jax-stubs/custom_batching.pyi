from treadle.custom_batching import *
