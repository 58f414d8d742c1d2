"""Convolutions with a fractional stride: the shapes, not the values, of a convolution's gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.errors import flags, integers, integers_or_none, shown
from treadle_ir.primitives.contract import dilated
from treadle_numpy.lax.convolution import (
    ConvDimensionNumbers,
    ConvGeneralDilatedDimensionNumbers,
    conv_dimension_numbers,
    conv_general_dilated,
)
from treadle_numpy.lax.precision import PrecisionLike
from treadle_numpy.lax.windows import Padding, as_padding
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.exact import strict

__all__ = ["conv_transpose"]

_SPATIAL: Final = "HWD"


def conv_transpose(
    lhs: ArrayLike,
    rhs: ArrayLike,
    strides: Sequence[int],
    padding: Padding,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers = None,
    transpose_kernel: bool = False,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    use_consistent_padding: bool = False,
) -> Array:
    """Return the convolution of an input, its elements put `strides` apart, with a kernel: it makes arrays larger.

    `padding` "SAME" makes n s elements of n, and "VALID" all that the kernel touches, n s + max(k - s, 0) with a kernel
    that reaches over k. Pairs of integers pad the dilated input; with `use_consistent_padding` they are instead the
    padding of the convolution whose gradient has these shapes, so that (p, q) pads k - 1 - p and k - 1 - q.

    `dimension_numbers` are by default ("NHWC", "HWIO", "NHWC"), likewise in one and three dimensions. The kernel is not
    mirrored unless `transpose_kernel` is true: then its spatial axes are, and its axes of input and output features are
    exchanged, which makes this the gradient of `conv_general_dilated` with respect to its input.

    Raises:
        ArgumentError: another padding; no default for so many axes; no numbers for all spatial axes.
        ShapeError: shapes do not fit.

    Example:
        >>> import numpy as np
        >>> x = np.array([1.0, 2.0], np.float32).reshape(1, 2, 1)
        >>> print(conv_transpose(x, np.ones((2, 1, 1), np.float32), (2,), "SAME").ravel())
        [1. 1. 2. 2.]
    """
    name = "conv_transpose"
    flags(name, transpose_kernel=transpose_kernel, use_consistent_padding=use_consistent_padding)
    steps = integers(name, "strides", strides)
    holes = integers_or_none(name, "rhs_dilation", rhs_dilation)
    x, kernel = [array_of(v) for v in strict(name, lhs, rhs)]
    rank = x.ndim
    if rank < 2 or kernel.ndim != rank:
        raise ShapeError(
            f"{name}: the input {x.shape} and the kernel {kernel.shape} must have equally many axes, "
            "batch and feature axes among them"
        )
    if dimension_numbers is None:
        dimension_numbers = _defaults(rank - 2)
    specs = conv_dimension_numbers(x.shape, kernel.shape, dimension_numbers)
    holes = holes or (1,) * (rank - 2)
    if not len(steps) == len(holes) == rank - 2:
        raise ArgumentError(
            f"{name}: strides {steps} and rhs_dilation {holes} must have one number for each of the "
            f"{rank - 2} spatial axes"
        )
    extents = [
        dilated(kernel.shape[axis], hole)
        for axis, hole in zip(specs.rhs_spec[2:], holes, strict=True)
    ]
    pads = transposed_pads(padding, extents, steps, bool(use_consistent_padding))
    if transpose_kernel:
        kernel = ops.reverse(kernel, dimensions=tuple(specs.rhs_spec[2:]))
        outputs, inputs, *spatial = specs.rhs_spec
        specs = ConvDimensionNumbers(specs.lhs_spec, (inputs, outputs, *spatial), specs.out_spec)
    return conv_general_dilated(
        x,
        kernel,
        (1,) * (rank - 2),
        pads,
        steps,
        holes,
        specs,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def _defaults(count: int) -> tuple[str, str, str]:
    if count > len(_SPATIAL):
        raise ArgumentError(
            f"conv_transpose: there are no dimension_numbers by default for {count} spatial axes",
            fix="give three strings, such as ('NHWC', 'HWIO', 'NHWC')",
        )
    letters = _SPATIAL[:count]
    return f"N{letters}C", f"{letters}IO", f"N{letters}C"


def transposed_pads(
    padding: Padding, extents: Sequence[int], strides: Sequence[int], consistent: bool
) -> tuple[tuple[int, int], ...]:
    """Return how much is put on both sides of the dilated input.

    Raises:
        ArgumentError: another padding, or lists that do not have one entry for each axis.
    """
    if len(strides) != len(extents):
        raise ArgumentError(
            f"conv_transpose: {len(strides)} strides for {len(extents)} spatial axes",
            fix="give one for each axis",
        )
    if isinstance(padding, str):
        kind = padding.upper()
        if kind not in ("SAME", "VALID"):
            raise ArgumentError(
                f"conv_transpose: padding is {shown(padding)}, not 'SAME', 'VALID' or pairs of integers"
            )
        return tuple([_pad(kind, k, s) for k, s in zip(extents, strides, strict=True)])
    pads = as_padding("conv_transpose", padding)
    if len(pads) != len(extents):
        raise ArgumentError(
            f"conv_transpose: padding has {len(pads)} pairs for {len(extents)} spatial axes"
        )
    if not consistent:
        return pads
    return tuple(
        [(k - 1 - low, k - 1 - high) for k, (low, high) in zip(extents, pads, strict=True)]
    )


def _pad(kind: str, extent: int, stride: int) -> tuple[int, int]:
    """(n - 1) s + 1 elements are there, and each place of the kernel takes one: so many more make n s, or all."""
    if kind == "SAME":
        total = extent + stride - 2
        low = extent - 1 if stride > extent - 1 else -(-total // 2)
    else:
        total = extent + stride - 2 + max(extent - stride, 0)
        low = extent - 1
    return low, total - low
