"""Tour, 4 of 6: batching. Needs treadle-ir and treadle-batching (and -autodiff at the end); runs on NumPy."""

import numpy as np

from treadle_autodiff import grad
from treadle_batching import Axis, batch_flat, vmap
from treadle_ir import ArrayType, ops, stage

rows = np.arange(12, dtype=np.float32).reshape(4, 3)
weights = np.array([1.0, 10.0, 100.0], np.float32)


def score(row, weights):
    """Return the score of one row; the code does not mention an axis of rows."""
    return ops.reduce_add(ops.multiply(row, weights), axes=(0,))


# vmap makes it a function of many rows. `in_axes` specifies which axis of each argument is mapped; None is for an
# argument that all rows share.
scores = vmap(score, in_axes=(0, None))(rows, weights)
assert scores.shape == (4,)
assert np.allclose(scores, rows @ weights)
assert np.allclose(scores, [score(row, weights) for row in rows])

# vmap is a trace. Its tracers carry an array and the position of the mapped axis, and each primitive has a rule that
# handles the additional axis. No loop runs: the sum over axis 0 became a sum over axis 1.
program = stage(
    lambda rows: [vmap(score, (0, None))(rows, weights)], ArrayType((4, 3), np.dtype(np.float32))
).program
print(program)
(reduction,) = [e.primitive for e in program.equations if e.primitive.name == "reduce_add"]
assert reduction.axes == (1,)

# Rules move the mapped axis only if necessary; the flat function returns its position. Here it stays at 1.
(result,), (dim,) = batch_flat(lambda x: [ops.sine(x)], Axis(4, None), [rows.T], [1])
assert dim == 1
assert np.allclose(result, np.sin(rows.T))

# `out_axes` specifies the position in the result, and trees of arrays have trees of axes.
columns = vmap(lambda row: ops.sine(row), out_axes=1)(rows)
assert columns.shape == (3, 4)
given = {"row": rows, "scale": weights}
scaled = vmap(lambda d: ops.multiply(d["row"], d["scale"]), in_axes=({"row": 0, "scale": None},))(
    given
)
assert np.allclose(scaled, rows * weights)

# Applied twice, vmap computes a table: all pairs of rows.
pairs = vmap(vmap(score, (None, 0)), (0, None))(rows, rows)
assert np.allclose(pairs, rows @ rows.T)


# A named axis: rows can communicate, by collectives over the name.
def share(x):
    """Return the fraction of one row in the total of all rows."""
    return ops.divide(x, ops.all_reduce(x, reduction="add", axis_name="rows"))


amounts = np.array([1.0, 2.0, 5.0], np.float32)
assert np.allclose(vmap(share, axis_name="rows")(amounts), amounts / 8)
numbers = vmap(lambda x: ops.axis_index("rows"), axis_name="rows")(amounts)
assert numbers.tolist() == [0, 1, 2]

# Outside of the vmap that binds it, the name is an error.
try:
    share(amounts)
except NameError as error:
    print(error)
else:
    raise AssertionError("there is no axis of that name here")


# With gradients: per-example gradients, as opposed to the gradient of the mean.
def loss(weights, row, target):
    error = ops.subtract(score(row, weights), target)
    return ops.multiply(error, error)


targets = np.array([0.0, 100.0, 1000.0, 0.0], np.float32)
each = vmap(grad(loss), in_axes=(None, 0, 0))(weights, rows, targets)
assert each.shape == (4, 3)
errors = rows @ weights - targets
assert np.allclose(each, 2 * errors[:, None] * rows)
# In the other order: a batched function can be differentiated like any other function.
total = grad(lambda w: ops.reduce_add(vmap(loss, (None, 0, 0))(w, rows, targets), axes=(0,)))(
    weights
)
assert np.allclose(total, np.sum(each, axis=0))

print("4 batching: all assertions hold")
