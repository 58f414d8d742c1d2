"""Tour, 3 of 6: derivatives. Needs treadle-ir and treadle-autodiff; everything runs on NumPy."""

from dataclasses import dataclass

import numpy as np

from treadle_autodiff import custom_jvp, grad, jvp, jvp_rule, linearize_flat, transpose, vjp
from treadle_ir import (
    ArrayType,
    MissingRuleError,
    Primitive,
    bind,
    interpret,
    ops,
    reference,
    stage,
)

x = np.array([0.5, 1.0, 1.5], np.float32)
dx = np.array([1.0, 0.0, 2.0], np.float32)


def f(x):
    return ops.multiply(ops.sine(x), x)


def slope(x):  # the derivative of `f`, by hand
    return np.cos(x) * x + np.sin(x)


# Forward mode: jvp propagates a tangent. The rule of each primitive returns its results and their tangents.
y, dy = jvp(f, (x,), (dx,))
assert np.allclose(y, np.sin(x) * x)
assert np.allclose(dy, slope(x) * dx)

# Linearize: the same rules, but the part that does not depend on the tangent is computed now, and the part that is
# linear in the tangent is staged as a program. The values that the linear part uses, its residuals, are captured.
linearized = linearize_flat(lambda x: [f(x)], [x], [True])
print(linearized.program)
assert np.allclose(interpret(linearized.program, *linearized.captured, dx)[0], dy)
assert "sine" not in str(linearized.program)  # computed already

# Reverse mode: transpose traverses that program in reverse, and applies the transpose rule of each equation. One
# traversal is enough, however many elements `x` has.
ct_y = np.array([1.0, 10.0, 100.0], np.float32)
(ct_x,) = transpose(linearized.program, linearized.captured, [ct_y])
assert np.allclose(ct_x, slope(x) * ct_y)
# For a linear map A and its transpose, <A v, w> = <v, A^T w>; every transpose rule is tested with this identity.
assert np.isclose(np.dot(ct_y, dy), np.dot(ct_x, dx))

# The public functions perform these two steps on trees of arrays: vjp is linearize followed by transpose; grad is vjp
# of a function with a scalar result, applied to the cotangent 1.
assert np.allclose(vjp(f, x)[1](ct_y)[0], ct_x)


def total(x):
    return ops.reduce_add(f(x), axes=(0,))


assert np.allclose(grad(total)(x), slope(x))
# Transformations nest: the derivative's operations are ordinary operations. The second derivative, along `dx`:
_, second = jvp(grad(total), (x,), (dx,))
assert np.allclose(second, (2 * np.cos(x) - np.sin(x) * x) * dx, atol=1e-5)
# They can also be staged: a gradient is an ordinary program, without a trace of the transformation.
program = stage(lambda x: [grad(total)(x)], ArrayType((3,), np.dtype(np.float32))).program
assert np.allclose(interpret(program, x)[0], slope(x))


# A function with a custom rule: log(1 + exp(x)), whose textbook derivative overflows.
@custom_jvp
def softplus(x):
    return ops.log(ops.add(ops.exponential(x), np.float32(1.0)))


@softplus.defjvp
def softplus_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return softplus(x), ops.multiply(ops.logistic(x), dx)


assert np.isclose(grad(softplus)(np.float32(100.0)), 1.0)
assert np.isnan(grad(softplus.fun)(np.float32(100.0)))  # without the rule the derivative is NaN


# Our own primitive: a frozen dataclass with a typing rule. Its rules for the reference evaluator and for each
# transformation are registered from outside.
@dataclass(frozen=True, slots=True)
class Cube(Primitive):
    name = "cube"

    def infer(self, x):
        return (x,)


reference.eval_rule(Cube)(lambda primitive, x: [x * x * x])


def cube(x):
    return bind(Cube(), x)[0]


try:
    grad(cube)(np.float32(2.0))
except MissingRuleError as error:
    print(error, *error.__notes__, sep="\n")
else:
    raise AssertionError("there is no jvp rule yet")


@jvp_rule(Cube)
def cube_jvp(primitive, primals, tangents):
    (x,), (dx,) = primals, tangents
    return [cube(x)], [ops.multiply(ops.multiply(np.float32(3.0), ops.multiply(x, x)), dx)]


assert float(grad(cube)(np.float32(2.0))) == 12.0
assert float(grad(grad(cube))(np.float32(2.0))) == 12.0

print("3 derivatives: all assertions hold")
