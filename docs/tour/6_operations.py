"""Tour, 6 of 6: your own operation in every package: types, semantics, lowering, derivative, batching."""

from typing import ClassVar, final

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle_autodiff import linear, transpose_rule
from treadle_autodiff.checks import checked_rules as checked_derivatives
from treadle_batching import batch_rule
from treadle_batching.checks import checked_rules as checked_batches
from treadle_compiler import lowering_rule
from treadle_ir import ArgumentError, ArrayType, bind, register, stage
from treadle_ir.analysis import verify
from treadle_ir.core import Rearrangement
from treadle_ir.process import frozen
from treadle_ir.reference import eval_rule
from treadle_ir.text import parse_program, print_program

# 1. The operation: a class, whose fields are its attributes, and whose `infer` returns the types of its results and
# rejects invalid operands. `register` makes it known to the text format. Its family provides shared rules: a
# `Rearrangement` only moves elements, so the eager evaluator applies the size limit for NumPy that suits such
# operations.


@register
@final
@frozen
class CyclicShift(Rearrangement):
    """Shifts elements along an axis by `by` positions to the right, and wraps around at the end."""

    name: ClassVar[str] = "tour_cyclic_shift"
    axis: int
    by: int

    def infer(self, *operands):
        (x,) = operands
        if not 0 <= self.axis < len(x.shape):
            raise ArgumentError(f"cyclic_shift: axis is {self.axis}, but the operand is {x}")
        return (x,)


def cyclic_shift(x, *, axis, by):
    """Shift the elements of `x` cyclically along `axis`. `bind` passes the operation to the current trace."""
    return bind(CyclicShift(axis, by), x)[0]


vector = ArrayType((4,), np.dtype(np.float32))
program = stage(lambda x: [cyclic_shift(x, axis=0, by=1)], vector).program
verify(program)
print(print_program(program))
assert print_program(parse_program(print_program(program))) == print_program(program)


# 2. The semantics: a function of NumPy arrays. It is the specification, and also runs eager calls on small arrays.


@eval_rule(CyclicShift)
def cyclic_shift_eval(primitive, x):
    return [np.roll(x, primitive.by, primitive.axis)]


x = tnp.arange(4.0)
np.testing.assert_array_equal(cyclic_shift(x, axis=0, by=1), [3, 0, 1, 2])


# 3. The lowering for XLA: StableHLO operations as text. A shift is two slices, concatenated in swapped order.


@lowering_rule(CyclicShift)
def cyclic_shift_lowering(context, primitive, x, /):
    (result,) = context.result_types
    axis, size = primitive.axis, result.shape[primitive.axis]
    cut = (size - primitive.by) % size if size else 0

    def slice_of(start, stop):
        starts, stops = [0] * len(result.shape), list(result.shape)
        starts[axis], stops[axis] = start, stop
        attributes = {
            "start_indices": f"array<i64: {', '.join(map(str, starts))}>",
            "limit_indices": f"array<i64: {', '.join(map(str, stops))}>",
            "strides": f"array<i64: {', '.join(['1'] * len(starts))}>",
        }
        shape = tuple(stop - start for start, stop in zip(starts, stops, strict=True))
        return context.one("stablehlo.slice", [x], result.with_shape(shape), attributes)

    slices = [slice_of(cut, size), slice_of(0, cut)]
    return [context.one("stablehlo.concatenate", slices, result, {"dimension": f"{axis} : i64"})]


jitted = treadle.jit(cyclic_shift, static_argnames=("axis", "by"))
np.testing.assert_array_equal(jitted(x, axis=0, by=1), [3, 0, 1, 2])
assert "stablehlo.concatenate" in jitted.lower(x, axis=0, by=1).as_text()


# 4. The derivative. The operation is linear, so it is its own derivative. Reverse mode needs the transpose, which
# shifts back. (A nonlinear operation has a `jvp_rule` instead, written with other operations, and no transpose rule.)
linear(CyclicShift)


@transpose_rule(CyclicShift)
def cyclic_shift_transpose(primitive, cotangents, operands, /):
    (ct,) = cotangents
    return [cyclic_shift(ct, axis=primitive.axis, by=-primitive.by)]


def loss(x):
    return tnp.sum(cyclic_shift(x, axis=0, by=1) * x**2)


# 5. The batching rule: the operand has one more axis, at `dim`, so the operation's own axis may be shifted by one.


@batch_rule(CyclicShift)
def cyclic_shift_batch(primitive, axis, operands, dims, /):
    (x,), (dim,) = operands, dims
    return [cyclic_shift(x, axis=primitive.axis + (dim <= primitive.axis), by=primitive.by)], [dim]


# That is all: it works under every transformation, and every composition of them. Under `checked_rules`, the results of
# rules are compared with `infer`; use it in tests.
with checked_derivatives(), checked_batches():
    gradient = treadle.grad(loss)(x)
    expected = 2 * np.arange(4.0) * np.array([3, 0, 1, 2]) + np.array([1.0, 4.0, 9.0, 0.0])
    np.testing.assert_allclose(gradient, expected)
    np.testing.assert_allclose(treadle.jacfwd(loss)(x), expected)
    np.testing.assert_allclose(treadle.jit(treadle.grad(loss))(x), expected)
    rows = tnp.stack([x, 2 * x])
    each = [treadle.grad(loss)(row) for row in rows]
    np.testing.assert_allclose(treadle.vmap(treadle.grad(loss))(rows), each)
    np.testing.assert_allclose(treadle.vmap(treadle.grad(loss), 1, 1)(rows.T), np.stack(each).T)
    second = treadle.hessian(loss)(x)
    np.testing.assert_allclose(treadle.jit(treadle.hessian(loss))(x), second)

# `infer` rejects invalid attributes:
try:
    bind(CyclicShift(axis=3, by=1), x)
except ArgumentError as error:
    print(error)
