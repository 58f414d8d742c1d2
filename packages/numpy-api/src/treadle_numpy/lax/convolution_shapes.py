"""Shapes of what convolutions and sliding windows return, and how the axes of a convolution are arranged."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import ArgumentError
from treadle_ir.errors import integer, integers, integers_or_none, refused, sequence
from treadle_ir.primitives.contract import dilated, window_counts
from treadle_numpy.lax.convolution import ConvGeneralDilatedDimensionNumbers, conv_dimension_numbers
from treadle_numpy.lax.transposed_convolution import transposed_pads
from treadle_numpy.lax.windows import Padding, as_padding, padtype_to_pads
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = [
    "conv_general_permutations",
    "conv_general_shape_tuple",
    "conv_shape_tuple",
    "conv_transpose_shape_tuple",
    "reduce_window_shape_tuple",
]


def conv_general_permutations(
    dimension_numbers: tuple[str, str, str],
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return where batch, feature and spatial axes are: of input, kernel and output, from three strings.

    Raises:
        ArgumentError: they are not three strings with a letter for each axis.

    Example:
        >>> conv_general_permutations(("NHWC", "HWIO", "NHWC"))
        ((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2))
    """
    given = sequence("conv_general_permutations", "dimension_numbers", dimension_numbers)
    if not given or not isinstance(given[0], str):
        raise refused("conv_general_permutations", "dimension_numbers", "three strings", given)
    axes = (1,) * len(given[0])
    specs = conv_dimension_numbers(axes, axes, dimension_numbers)
    return tuple(specs.lhs_spec), tuple(specs.rhs_spec), tuple(specs.out_spec)


def conv_shape_tuple(
    lhs_shape: Shape,
    rhs_shape: Shape,
    strides: Sequence[int],
    pads: Padding,
    batch_group_count: int = 1,
) -> tuple[int, ...]:
    """Return the shape of a convolution's result, batch and feature axes first.

    Raises:
        ArgumentError: lists do not have one entry for each spatial axis; batch_group_count does not divide the batch.

    Example:
        >>> conv_shape_tuple((1, 3, 8, 8), (4, 3, 3, 3), (1, 1), "VALID")
        (1, 4, 6, 6)
    """
    name = "conv_shape_tuple"
    x, kernel = as_shape(name, lhs_shape), as_shape(name, rhs_shape)
    groups = integer(name, "batch_group_count", batch_group_count)
    if len(x) < 2 or groups < 1 or x[0] % groups:
        raise ArgumentError(f"{name}: batch_group_count {groups} does not divide the batch of {x}")
    ones = (1,) * (len(x) - 2)
    counts = _counts(name, x[2:], kernel[2:], strides, pads, ones, ones)
    return (x[0] // groups, kernel[0], *counts)


def conv_general_shape_tuple(
    lhs_shape: Shape,
    rhs_shape: Shape,
    window_strides: Sequence[int],
    padding: Padding,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers,
) -> tuple[int, ...]:
    """Return the shape of a convolution's result.

    Raises:
        ArgumentError: wrong dimension numbers, or lists that do not have one entry for each spatial axis.

    Example:
        >>> numbers = ("NHWC", "HWIO", "NHWC")
        >>> conv_general_shape_tuple((1, 8, 8, 3), (3, 3, 3, 4), (2, 2), "SAME", numbers)
        (1, 4, 4, 4)
    """
    name = "conv_general_shape_tuple"
    x, kernel = as_shape(name, lhs_shape), as_shape(name, rhs_shape)
    specs = conv_dimension_numbers(x, kernel, dimension_numbers)
    first, second = _taken(name, x, specs.lhs_spec), _taken(name, kernel, specs.rhs_spec)
    return _placed(conv_shape_tuple(first, second, window_strides, padding), specs.out_spec)


def conv_transpose_shape_tuple(
    lhs_shape: Shape,
    rhs_shape: Shape,
    window_strides: Sequence[int],
    padding: Padding,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers,
) -> tuple[int, ...]:
    """Return the shape of what `conv_transpose` returns.

    Raises:
        ArgumentError: wrong dimension numbers, or lists that do not have one entry for each spatial axis.

    Example:
        >>> numbers = ("NHWC", "HWIO", "NHWC")
        >>> conv_transpose_shape_tuple((1, 8, 8, 3), (3, 3, 3, 4), (2, 2), "SAME", numbers)
        (1, 16, 16, 4)
    """
    name = "conv_transpose_shape_tuple"
    x, kernel = as_shape(name, lhs_shape), as_shape(name, rhs_shape)
    specs = conv_dimension_numbers(x, kernel, dimension_numbers)
    first, second = _taken(name, x, specs.lhs_spec), _taken(name, kernel, specs.rhs_spec)
    steps = integers(name, "window_strides", window_strides)
    pads = transposed_pads(padding, second[2:], steps, False)
    ones = (1,) * len(first[2:])
    counts = _counts(name, first[2:], second[2:], ones, pads, steps, ones)
    return _placed((first[0], second[0], *counts), specs.out_spec)


def reduce_window_shape_tuple(
    operand_shape: Shape,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Padding,
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> tuple[int, ...]:
    """Return the shape of what `reduce_window` returns.

    Raises:
        ArgumentError: lists do not have one positive number for each axis.

    Example:
        >>> reduce_window_shape_tuple((5, 6), (2, 3), (1, 2), "VALID")
        (4, 2)
    """
    name = "reduce_window_shape_tuple"
    shape = as_shape(name, operand_shape)
    ones = (1,) * len(shape)
    base = integers_or_none(name, "base_dilation", base_dilation) or ones
    holes = integers_or_none(name, "window_dilation", window_dilation) or ones
    window = integers(name, "window_dimensions", window_dimensions)
    return _counts(name, shape, window, window_strides, padding, base, holes)


def _counts(
    name: str,
    sizes: tuple[int, ...],
    window: tuple[int, ...],
    strides: Sequence[int],
    padding: Padding,
    base: tuple[int, ...],
    holes: tuple[int, ...],
) -> tuple[int, ...]:
    steps = integers(name, "window_strides", strides)
    lists = (window, steps, base, holes)
    if any(len(each) != len(sizes) for each in lists) or min((1, *steps, *base, *holes)) < 1:
        raise ArgumentError(
            f"{name}: the window {window}, strides {steps} and dilations {base} and {holes} must have one positive "
            f"number for each of the {len(sizes)} axes {sizes}"
        )
    if isinstance(padding, str):
        extents = [dilated(n, h) for n, h in zip(window, holes, strict=True)]
        padding = padtype_to_pads(
            [dilated(n, b) for n, b in zip(sizes, base, strict=True)], extents, steps, padding
        )
    pads = as_padding(name, padding)
    if len(pads) != len(sizes):
        raise ArgumentError(f"{name}: padding has {len(pads)} pairs for {len(sizes)} axes")
    return window_counts(sizes, window, steps, pads, base, holes)


def _taken(name: str, shape: tuple[int, ...], spec: Sequence[int]) -> tuple[int, ...]:
    if sorted(spec) != list(range(len(shape))):
        raise ArgumentError(
            f"{name}: dimension_numbers {tuple(spec)} do not name the axes of {shape}"
        )
    return tuple([shape[axis] for axis in spec])


def _placed(sizes: Sequence[int], spec: Sequence[int]) -> tuple[int, ...]:
    shape = [0] * len(sizes)
    for axis, size in zip(spec, sizes, strict=True):
        shape[axis] = size
    return tuple(shape)
