"""Tour, 4 of 6: batching. Needs treadle-ir and treadle-batching (and -autodiff at the end); runs on NumPy."""

import numpy as np

from treadle_autodiff import grad
from treadle_batching import Axis, batch_flat, vmap
from treadle_ir import ArrayType, ops, stage

rows = np.arange(12, dtype=np.float32).reshape(4, 3)
weights = np.array([1.0, 10.0, 100.0], np.float32)


def score(row, weights):
    """The score of one row: nobody writes an axis for many."""
    return ops.reduce_add(ops.multiply(row, weights), axes=(0,))


# vmap makes it a function of many rows. `in_axes` says which axis of each argument holds the rows; None is for an
# argument that all rows share.
scores = vmap(score, in_axes=(0, None))(rows, weights)
assert scores.shape == (4,)
assert np.allclose(scores, rows @ weights)
assert np.allclose(scores, [score(row, weights) for row in rows])

# Under it is a trace. Its tracers carry an array and the dimension where the mapped axis sits, and each primitive has
# a rule that says what to do with one axis more. No loop runs: the sum over axis 0 became one over axis 1.
program = stage(
    lambda rows: [vmap(score, (0, None))(rows, weights)], ArrayType((4, 3), np.dtype(np.float32))
).program
print(program)
(reduction,) = [e.primitive for e in program.equations if e.primitive.name == "reduce_add"]
assert reduction.axes == (1,)

# The rules move the axis only when they must; the flat function says where it ended up. Here it stays where it was.
(result,), (dim,) = batch_flat(lambda x: [ops.sine(x)], Axis(4, None), [rows.T], [1])
assert dim == 1
assert np.allclose(result, np.sin(rows.T))

# `out_axes` puts it where you want it, and trees of arrays have trees of axes.
columns = vmap(lambda row: ops.sine(row), out_axes=1)(rows)
assert columns.shape == (3, 4)
given = {"row": rows, "scale": weights}
scaled = vmap(lambda d: ops.multiply(d["row"], d["scale"]), in_axes=({"row": 0, "scale": None},))(
    given
)
assert np.allclose(scaled, rows * weights)

# vmap twice is a table: all pairs of rows.
pairs = vmap(vmap(score, (None, 0)), (0, None))(rows, rows)
assert np.allclose(pairs, rows @ rows.T)


# A named axis: rows may look at each other, by collectives over the name.
def share(x):
    """The part of one row in the total of all rows."""
    return ops.divide(x, ops.all_reduce(x, reduction="add", axis_name="rows"))


amounts = np.array([1.0, 2.0, 5.0], np.float32)
assert np.allclose(vmap(share, axis_name="rows")(amounts), amounts / 8)
numbers = vmap(lambda x: ops.axis_index("rows"), axis_name="rows")(amounts)
assert numbers.tolist() == [0, 1, 2]

# Outside of the vmap that binds it the name means nothing, and that is said.
try:
    share(amounts)
except NameError as error:
    print(error)
else:
    raise AssertionError("there is no axis of that name here")


# With gradients: one gradient per example, where the gradient of the mean would be one for all.
def loss(weights, row, target):
    error = ops.subtract(score(row, weights), target)
    return ops.multiply(error, error)


targets = np.array([0.0, 100.0, 1000.0, 0.0], np.float32)
each = vmap(grad(loss), in_axes=(None, 0, 0))(weights, rows, targets)
assert each.shape == (4, 3)
errors = rows @ weights - targets
assert np.allclose(each, 2 * errors[:, None] * rows)
# And the other way round: a function of many rows can be differentiated as it is.
total = grad(lambda w: ops.reduce_add(vmap(loss, (None, 0, 0))(w, rows, targets), axes=(0,)))(
    weights
)
assert np.allclose(total, np.sum(each, axis=0))

print("4 batching: all assertions hold")
