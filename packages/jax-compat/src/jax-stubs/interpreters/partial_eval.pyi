from treadle.interpreters.partial_eval import *
