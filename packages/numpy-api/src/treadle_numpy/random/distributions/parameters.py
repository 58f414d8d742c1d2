"""What distributions share: arguments, and keys split for them.

Each distribution is computed from uniform bits by the algorithm that JAX's documentation of it describes. They agree
with JAX bit for bit where the computation is exact (integers, uniform floats, permutations, choices), and up to the
rounding of log and erf_inv elsewhere.
"""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, DType, Operand, ops
from treadle_ir.core.dtypes import is_floating
from treadle_ir.errors import names
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import Shape, as_shape
from treadle_numpy.random.order import random_split


def float_dtype(name: str, dtype: DTypeLike | None) -> DType:
    """Return a `dtype` argument that must be a floating type; the default one for None.

    Raises:
        ArgumentError: it is of another kind.
    """
    wanted = as_dtype(name, float if dtype is None else dtype)
    if not is_floating(wanted):
        raise ArgumentError(f"dtype argument to `{name}` must be a float dtype, got {wanted}")
    return wanted


def result_shape(name: str, shape: Shape | None, *parameters: Operand) -> tuple[int, ...]:
    """Return the shape asked for, or that parameters broadcast to; parameters must broadcast to it."""
    own = common_shape(name, [p.shape for p in parameters]) if parameters else ()
    if shape is None:
        return own
    sizes = as_shape(name, shape)
    if common_shape(name, [sizes, own]) != sizes:
        raise ArgumentError(
            f"{name} parameter shapes {own} do not broadcast to the requested shape {sizes}"
        )
    return sizes


def parameter(x: ArrayLike, dtype: DType, shape: tuple[int, ...]) -> Operand:
    """Return a parameter in an element type, broadcast to a shape (scalars are left alone)."""
    operand = converted(coerce("random", 1, x), dtype)
    return broadcast_to_shape(operand, shape) if operand.shape else operand


def is_high(function: str, mode: str | None) -> bool:
    """Return whether a user asks for twice as many bits.

    Raises:
        ArgumentError: there is no such mode.
    """
    names(function, mode=mode)
    if mode not in (None, "low", "high"):
        raise ArgumentError(
            f"{function}: there is no mode {mode!r}", fix="ask for 'low', the default, or 'high'"
        )
    return mode == "high"


def split_key(key: Array, count: int) -> list[Array]:
    """Several keys made from one, typed or raw as it is."""
    parts = random_split(key, (count,))
    return [ops.reshape(slice_along(parts, 0, i, i + 1), shape=key.shape) for i in range(count)]
