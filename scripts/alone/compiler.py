"""treadle-compiler alone: lower and compile a program."""

import numpy as np

from treadle_compiler import lower
from treadle_ir import ArrayType, ops, stage

vector = ArrayType((3,), np.dtype(np.float32))
lowered = lower(stage(lambda x: [ops.sine(x)], vector).program)
assert "stablehlo.sine" in lowered.text
lowered.compile()
print("treadle-compiler works alone")
