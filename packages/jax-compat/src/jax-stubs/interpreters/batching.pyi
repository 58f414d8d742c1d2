from treadle.interpreters.batching import *
