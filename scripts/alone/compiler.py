"""treadle-compiler alone: lower and compile a program."""

import numpy as np

from treadle_compiler import CompileOptions, compile_text, jaxlib, lower_program
from treadle_ir import ArrayType, ops, stage

vector = ArrayType((3,), np.dtype(np.float32))
lowered = lower_program(stage(lambda x: [ops.sine(x)], vector).program)
assert "stablehlo.sine" in lowered.text
client = jaxlib().xla_client.make_cpu_client()
executable = compile_text(client, lowered.text, client.local_devices()[:1], CompileOptions())
assert executable.platform == "cpu"
print("treadle-compiler works alone")
