from treadle.interpreters.mlir import *
