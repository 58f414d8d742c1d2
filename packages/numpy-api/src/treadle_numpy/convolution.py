"""Convolutions as in neural networks, and the padding that words mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from treadle_ir import Array
from treadle_numpy.coercion import ValueArgumentError, array_of, ops
from treadle_numpy.contraction import precision_name
from treadle_numpy.dtypes import DTypeLike, as_dtype
from treadle_numpy.strict import strict


class ConvDimensionNumbers(NamedTuple):
    """Where batch, feature and spatial axes are: of input, kernel and output."""

    lhs_spec: Sequence[int]
    rhs_spec: Sequence[int]
    out_spec: Sequence[int]


def padtype_to_pads(
    in_shape: Sequence[int],
    window_shape: Sequence[int],
    window_strides: Sequence[int],
    padding: Any,
) -> list[tuple[int, int]]:
    """The padding that 'SAME', 'SAME_LOWER' or 'VALID' means.

    Raises:
        ValueArgumentError: another word than these.
    """
    kind = padding.upper() if isinstance(padding, str) else padding
    if kind == "VALID":
        return [(0, 0)] * len(in_shape)
    if kind not in ("SAME", "SAME_LOWER"):
        raise ValueArgumentError(
            f"Unrecognized padding type: expected 'VALID', 'SAME' or 'SAME_LOWER', got {padding!r}"
        )
    pads = []
    for size, window, stride in zip(in_shape, window_shape, window_strides, strict=True):
        count = -(-size // stride)
        total = max((count - 1) * stride + window - size, 0)
        small, large = total // 2, total - total // 2
        pads.append((small, large) if kind == "SAME" else (large, small))
    return pads


def conv_dimension_numbers(
    lhs_shape: Any, rhs_shape: Any, dimension_numbers: Any
) -> ConvDimensionNumbers:
    """Where the axes of a convolution are: from a triple of strings ('NHWC', 'HWIO', 'NHWC'), or as given.

    Raises:
        ValueArgumentError: they are not three strings with a letter for each axis.
    """
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    rank = len(lhs_shape)
    if dimension_numbers is None:
        plain = tuple(range(rank))
        return ConvDimensionNumbers(plain, plain, plain)
    if len(dimension_numbers) != 3 or any(len(text) != rank for text in dimension_numbers):
        raise ValueArgumentError(
            f"convolution dimension_numbers must be three strings of {rank} letters, got {dimension_numbers!r}"
        )
    lhs, rhs, out = dimension_numbers
    spatial = [c for c in rhs if c not in "OI"]

    def read(text: str, first: str, second: str) -> tuple[int, ...]:
        if sorted(text) != sorted([first, second, *spatial]):
            raise ValueArgumentError(
                f"convolution dimension_numbers {dimension_numbers!r}: {text!r} must consist of {first}, {second} and "
                f"the spatial letters {''.join(spatial)}"
            )
        return (text.index(first), text.index(second), *[text.index(c) for c in spatial])

    return ConvDimensionNumbers(read(lhs, "N", "C"), read(rhs, "O", "I"), read(out, "N", "C"))


def conv_general_dilated(
    lhs: Array,
    rhs: Array,
    window_strides: Sequence[int],
    padding: Any,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The convolution (as in neural networks: not mirrored) of an input with a kernel."""
    x, kernel = [array_of(v) for v in strict("conv_general_dilated", lhs, rhs)]
    specs = conv_dimension_numbers(x.shape, kernel.shape, dimension_numbers)
    ones = (1,) * (x.ndim - 2)
    base, holes = tuple(lhs_dilation or ones), tuple(rhs_dilation or ones)
    if isinstance(padding, str):
        sizes = [
            (x.shape[i] - 1) * b + 1 if x.shape[i] else 0
            for i, b in zip(specs.lhs_spec[2:], base, strict=True)
        ]
        windows = [
            (kernel.shape[i] - 1) * h + 1 for i, h in zip(specs.rhs_spec[2:], holes, strict=True)
        ]
        padding = padtype_to_pads(sizes, windows, window_strides, padding)
    return ops.convolution(
        x,
        kernel,
        strides=tuple(window_strides),
        padding=tuple([(int(a), int(b)) for a, b in padding]),
        lhs_dilation=base,
        rhs_dilation=holes,
        lhs_spec=tuple(specs.lhs_spec),
        rhs_spec=tuple(specs.rhs_spec),
        out_spec=tuple(specs.out_spec),
        feature_group_count=feature_group_count,
        batch_group_count=batch_group_count,
        precision=precision_name(precision),
        element_type=as_dtype("conv_general_dilated", preferred_element_type),
    )


def conv(
    lhs: Array,
    rhs: Array,
    window_strides: Sequence[int],
    padding: str,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """`conv_general_dilated` with batch and feature axes first."""
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def conv_with_general_padding(
    lhs: Array,
    rhs: Array,
    window_strides: Sequence[int],
    padding: Any,
    lhs_dilation: Sequence[int] | None,
    rhs_dilation: Sequence[int] | None,
    precision: Any = None,
) -> Array:
    """`conv_general_dilated` with batch and feature axes first and dilations."""
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=precision
    )
