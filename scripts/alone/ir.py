"""treadle-ir alone: stage, print, parse, verify and run a program; no compiler, no scipy."""

from importlib.util import find_spec

import numpy as np

import treadle_ir as ir
from treadle_ir.analysis import verify
from treadle_ir.text import parse_program

assert find_spec("jaxlib") is None
assert find_spec("scipy") is None

vector = ir.ArrayType((3,), np.dtype(np.float32))
staged = ir.stage(lambda x, y: [ir.ops.multiply(ir.ops.sine(x), y)], vector, vector)
text = str(staged.program)
assert str(parse_program(text)) == text
verify(staged.program)

x = np.array([0.0, 0.5, 1.0], np.float32)
(result,) = ir.interpret(staged.program, x, x)
np.testing.assert_allclose(np.asarray(result), np.sin(x) * x, rtol=1e-6)
print("treadle-ir works alone")
