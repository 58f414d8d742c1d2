"""Products of block-scaled operands: numbers of few bits with a factor for each block of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from treadle_ir import ArgumentError, Array, DType, ShapeError, UnsupportedError
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME, is_floating
from treadle_ir.errors import names, shown
from treadle_numpy.lax.contraction import DotDimensionNumbers, dot_general
from treadle_numpy.numpy.contraction.einsums import einsum
from treadle_numpy.numpy.manipulation.repetition import repeat
from treadle_numpy.numpy.ufuncs.arithmetic import multiply
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted

__all__ = ["get_scaled_dot_general_config", "scaled_dot_general", "scaled_matmul"]

_MODES = ("nvfp4", "mxfp8", "mxfp4")


def _scaled(x: Array, scales: Array, dtype: DType) -> Array:
    """Return numbers in an element type, each times the factor of its block along the last axis."""
    factors = array_of(converted(scales, dtype))
    if scales.shape[-1]:
        factors = repeat(factors, x.shape[-1] // scales.shape[-1], axis=-1)
    return multiply(array_of(converted(x, dtype)), factors)


@composed
def scaled_matmul(
    lhs: ArrayLike,
    rhs: ArrayLike,
    lhs_scales: ArrayLike,
    rhs_scales: ArrayLike,
    preferred_element_type: DTypeLike = "float32",
) -> Array:
    """Products of matrices whose elements are scaled block by block along the contracted axis.

    It is the product of `lhs * repeat(lhs_scales, block, axis=-1)` and the same of `rhs`; the size of a block follows
    from the shapes. It is computed in float32, or in float64 if an operand is of that type.

    Shapes:
        lhs: [B, M, K]; rhs: [B, N, K]
        lhs_scales: [B, M, K // block]; rhs_scales: [B, N, K // block]
        result: [B, M, N]

    Args:
        lhs: the left matrices.
        rhs: the right matrices, transposed.
        lhs_scales: a factor for each block of a row of `lhs`.
        rhs_scales: a factor for each block of a row of `rhs`.
        preferred_element_type: the element type of the result.

    Raises:
        ShapeError: the shapes do not go together; ArgumentError: the type is not a floating one.

    Example:
        >>> import numpy as np
        >>> a, b = np.array([[[1, 2, 3]]]), np.array([[[4, 5, 6]]])
        >>> half = np.array([[[0.5]]])
        >>> print(scaled_matmul(a, b, half, half))
        [[[8.]]]
    """
    wanted = as_dtype("scaled_matmul", preferred_element_type)
    if not is_floating(wanted):
        raise ArgumentError(
            f"scaled_matmul: preferred_element_type must be a float dtype, got {wanted}"
        )
    x, y, f, g = [
        coerce_array("scaled_matmul", i, each)
        for i, each in enumerate((lhs, rhs, lhs_scales, rhs_scales))
    ]
    shapes = f"{x.shape}, {y.shape}, {f.shape} and {g.shape}"
    if any([each.ndim != 3 for each in (x, y, f, g)]):
        raise ShapeError(
            f"scaled_matmul requires all inputs to be 3-dimensional arrays, got {shapes}",
            fix="add a batch axis of size 1 in front",
        )
    if x.shape[0] != y.shape[0] or x.shape[2] != y.shape[2]:
        raise ShapeError(
            "scaled_matmul requires inputs a and b to have matching batch (B) and contract (K) dimensions, but got "
            f"shapes {x.shape} and {y.shape}"
        )
    blocks = f.shape[2]
    if f.shape[:2] != x.shape[:2] or g.shape[:2] != y.shape[:2] or g.shape[2] != blocks:
        raise ShapeError(f"scaled_matmul: the scales do not go with the operands: {shapes}")
    if bool(x.shape[2]) != bool(blocks) or (blocks and x.shape[2] % blocks):
        raise ShapeError(
            f"scaled_matmul: {blocks} blocks do not divide the contracted axis of size {x.shape[2]}"
        )
    wide = BY_NAME["f64" if any([each.dtype == np.float64 for each in (x, y, f, g)]) else "f32"]
    product = einsum("bmk,bnk->bmn", _scaled(x, f, wide), _scaled(y, g, wide))
    return array_of(converted(product, wanted))


def _not_there(function: str) -> NoReturn:
    raise UnsupportedError(
        f"{function}: quantising to blocks is not there",
        fix="quantise the operands yourself, and call scaled_matmul",
    )


@composed
def get_scaled_dot_general_config(mode: str, global_scale: ArrayLike | None = None) -> NoReturn:
    """Not there: how `scaled_dot_general` is to quantise.

    Raises:
        ArgumentError: no such mode; UnsupportedError: any other.

    Example:
        >>> try:
        ...     get_scaled_dot_general_config("mxfp8")
        ... except UnsupportedError:
        ...     print("quantise the operands, and call scaled_matmul")
        quantise the operands, and call scaled_matmul
    """
    names("get_scaled_dot_general_config", mode=mode)
    if mode not in _MODES:
        raise ArgumentError(
            f"get_scaled_dot_general_config: unsupported mode {shown(mode)}",
            fix=f"use one of {', '.join(_MODES)}",
        )
    _not_there("get_scaled_dot_general_config")


@composed
def scaled_dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    dimension_numbers: DotDimensionNumbers,
    preferred_element_type: DTypeLike = "float32",
    configs: Sequence[object] | None = None,
    implementation: str | None = None,
) -> Array:
    """Apply `lax.dot_general` to operands quantised by `configs`; without configs, to the operands themselves.

    Args:
        lhs: the left operand.
        rhs: the right operand.
        dimension_numbers: contracted and batch axes, as of `lax.dot_general`.
        preferred_element_type: the element type of the result.
        configs: None; configurations are not there.
        implementation: not looked at.

    Raises:
        UnsupportedError: there are configs.

    Example:
        >>> import numpy as np
        >>> x = np.ones((2, 3), np.float32)
        >>> print(scaled_dot_general(x, x, (((1,), (1,)), ((), ()))))
        [[3. 3.]
         [3. 3.]]
    """
    names("scaled_dot_general", implementation=implementation)
    if configs is not None:
        _not_there("scaled_dot_general")
    return dot_general(lhs, rhs, dimension_numbers, preferred_element_type=preferred_element_type)
