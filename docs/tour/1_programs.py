"""Tour, 1 of 6: programs. Needs treadle-ir only: no compiler, no derivative, just NumPy.

Run it: `python docs/tour/1_programs.py`. Each chapter checks its claims with `assert`.
"""

import numpy as np

from treadle_ir import ArrayType, Program, interpret, ops, stage
from treadle_ir.analysis import verify
from treadle_ir.core.equality import equal_programs
from treadle_ir.errors import ParseError, VerifyError
from treadle_ir.text import parse_program, print_program

# A type is an element type and a shape. Equal types are one object.
vector = ArrayType((3,), np.dtype(np.float32))
assert vector is ArrayType((3,), np.dtype(np.float32))
assert str(vector) == "f32[3]"

# `ops` has one function for each primitive. Called on arrays, it computes the result. Operands must have matching
# types: promotion happens one layer up, in treadle.numpy.
x = np.array([0.0, 1.0, 2.0], np.float32)
assert np.allclose(ops.sine(x), np.sin(x))


# Staging runs a function on tracers, which represent arrays of some type, and records the operations.
# Staged functions take flat operands and return a list of results.
def scaled_sine(x, y):
    # This `if` is evaluated by Python during staging, so it does not appear in the program.
    scale = 2.0 if x.type.shape == (3,) else 1.0
    return [ops.multiply(ops.sine(x), y), ops.multiply(y, np.float32(scale))]


staged = stage(scaled_sine, vector, vector)
program = staged.program
print(program)

# An equation is `results = primitive(operands)`. A primitive is an immutable instance: its class is the operation, its
# fields are the attributes. Operands are values, each defined once by a parameter or an earlier equation, or literals,
# which are scalars.
assert [equation.primitive.name for equation in program.equations] == [
    "sine",
    "multiply",
    "multiply",
]
assert program.result_types == (vector, vector)

# Interpreting applies each equation in turn. Here NumPy evaluates them.
first, second = interpret(program, x, x)
assert np.allclose(first, np.sin(x) * x)
assert np.allclose(second, 2 * x)

# Under staging, `interpret` records the equations in the program that is being staged: inlining does not need a pass of
# its own.
twice = stage(lambda x: interpret(program, *interpret(program, x, x)), vector).program
assert len(twice.equations) == 2 * len(program.equations)

# Programs are closed and hold no arrays: arrays that a function captured become leading parameters, and staging returns
# the captured arrays together with the program.
weights = np.array([1.0, 10.0, 100.0], np.float32)
closed = stage(lambda x: [ops.multiply(x, weights)], vector)
assert closed.captured[0] is weights
assert len(closed.program.parameters) == 2
(weighted,) = interpret(closed.program, *closed.captured, x)
assert np.allclose(weighted, [0.0, 10.0, 200.0])

# The text is canonical and can be parsed back. Store it, send it, compare it, or build tools on it.
text = print_program(program)
again = parse_program(text)
assert equal_programs(again, program)
assert print_program(again) == text

# Parsing never executes code; errors show line, column and a caret.
try:
    parse_program(text.replace("sine", "sign of"))
except ParseError as error:
    print(error, *error.__notes__, sep="\n")
    assert error.line == 4
else:
    raise AssertionError("that was not a program")

# The verifier checks programs that were written by hand or by a pass. Here two equations are swapped:
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

# An analysis visits the equations of a program. This one counts how often each operation occurs; `program.nested()`
# returns the nested programs (bodies of loops, branches).
counts: dict[str, int] = {}
for each in (twice, *twice.nested()):
    for equation in each.equations:
        counts[equation.primitive.name] = counts.get(equation.primitive.name, 0) + 1
assert counts == {"sine": 2, "multiply": 4}

print("1 programs: all assertions hold")
