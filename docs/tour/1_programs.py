"""Tour, 1 of 6: programs. Needs treadle-ir only: no compiler, no derivative, just NumPy.

Run it: `python docs/tour/1_programs.py`. Each chapter checks what it says with `assert`.
"""

import numpy as np

from treadle_ir import ArrayType, Program, interpret, ops, stage
from treadle_ir.equality import equal_programs
from treadle_ir.errors import ParseError, VerifyError
from treadle_ir.text import parse_program, print_program
from treadle_ir.verify import verify

# A type is an element type and a shape. Equal types are one object.
vector = ArrayType((3,), np.dtype(np.float32))
assert vector is ArrayType((3,), np.dtype(np.float32))
assert str(vector) == "f32[3]"

# `ops` has one function for each primitive. Called on arrays it computes; operands have exact types, and nothing is
# promoted: that is the business of treadle.numpy, one floor up.
x = np.array([0.0, 1.0, 2.0], np.float32)
assert np.allclose(ops.sine(x), np.sin(x))


# Staging runs a function on tracers, which stand for arrays of some type, and writes down what it does.
# Functions that are staged take flat operands and return a list of results.
def scaled_sine(x, y):
    # This `if` is Python, so it is gone from the program: it was decided while staging.
    scale = 2.0 if x.type.shape == (3,) else 1.0
    return [ops.multiply(ops.sine(x), y), ops.multiply(y, np.float32(scale))]


staged = stage(scaled_sine, vector, vector)
program = staged.program
print(program)

# An equation is `results = primitive(operands)`. A primitive is a value: its class is the operation, its fields are
# the attributes. Operands are values, defined once and above, or literals, which are scalars.
assert [equation.primitive.name for equation in program.equations] == [
    "sine",
    "multiply",
    "multiply",
]
assert program.result_types == (vector, vector)

# Interpreting applies each equation in turn. Here NumPy evaluates.
first, second = interpret(program, x, x)
assert np.allclose(first, np.sin(x) * x)
assert np.allclose(second, 2 * x)

# Under staging, interpreting writes the equations into the program that is being staged: inlining is no pass,
# it is what `interpret` means there.
twice = stage(lambda x: interpret(program, *interpret(program, x, x)), vector).program
assert len(twice.equations) == 2 * len(program.equations)

# Programs are closed and hold no arrays: what a function captured becomes a leading parameter, and staging hands the
# captured arrays back beside the program.
weights = np.array([1.0, 10.0, 100.0], np.float32)
closed = stage(lambda x: [ops.multiply(x, weights)], vector)
assert closed.captured[0] is weights
assert len(closed.program.parameters) == 2
(weighted,) = interpret(closed.program, *closed.captured, x)
assert np.allclose(weighted, [0.0, 10.0, 200.0])

# The text is canonical and parses back: to store, to send, to compare, to build tools on.
text = print_program(program)
again = parse_program(text)
assert equal_programs(again, program)
assert print_program(again) == text

# Reading never executes anything; what is wrong is shown with line, column and a caret.
try:
    parse_program(text.replace("sine", "sign of"))
except ParseError as error:
    print(error, *error.__notes__, sep="\n")
    assert error.line == 4
else:
    raise AssertionError("that was not a program")

# Whoever makes programs by hand has the verifier: here two equations have changed places.
verify(program)
swapped = Program(
    program.parameters, program.equations[1::-1] + program.equations[2:], program.results
)
try:
    verify(swapped)
except VerifyError as error:
    print(error, *error.__notes__, sep="\n")
else:
    raise AssertionError("a value was used before it was defined")

# A pass is a function from programs to programs. This one says how often each operation occurs; nested programs
# (bodies of loops, branches) come from `program.nested()`.
counts: dict[str, int] = {}
for each in (twice, *twice.nested()):
    for equation in each.equations:
        counts[equation.primitive.name] = counts.get(equation.primitive.name, 0) + 1
assert counts == {"sine": 2, "multiply": 4}

print("1 programs: all assertions hold")
