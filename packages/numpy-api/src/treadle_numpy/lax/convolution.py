"""Convolutions as in neural networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.errors import integer, integers, integers_or_none, sequence, shown
from treadle_numpy.lax.contraction import within_integers
from treadle_numpy.lax.precision import PrecisionLike, precision_name
from treadle_numpy.lax.windows import Padding, as_padding, padtype_to_pads
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.shapes import as_shape

__all__ = [
    "ConvDimensionNumbers",
    "ConvGeneralDilatedDimensionNumbers",
    "conv",
    "conv_dimension_numbers",
    "conv_general_dilated",
    "conv_with_general_padding",
]


class ConvDimensionNumbers(NamedTuple):
    """Where batch, feature and spatial axes are: of input, kernel and output.

    The kernel's are its axes of the result's features, of the input's features, and of space.

    Example:
        >>> ConvDimensionNumbers((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2)).rhs_spec
        (3, 2, 0, 1)
    """

    lhs_spec: Sequence[int]
    rhs_spec: Sequence[int]
    out_spec: Sequence[int]


ConvGeneralDilatedDimensionNumbers: TypeAlias = ConvDimensionNumbers | tuple[str, str, str] | None


def conv_dimension_numbers(
    lhs_shape: Sequence[int],
    rhs_shape: Sequence[int],
    dimension_numbers: ConvGeneralDilatedDimensionNumbers,
) -> ConvDimensionNumbers:
    """Return where the axes of a convolution are: from a triple of strings ("NHWC", "HWIO", "NHWC"), or as given.

    N is the batch, C the features, O and I the features of result and input in the kernel; other letters are spatial
    axes, the same ones in all three. None means batch and features first: ("NCHW", "OIHW", "NCHW").

    Raises:
        ArgumentError: they are not three strings with a letter for each axis.

    Example:
        >>> conv_dimension_numbers((1, 8, 8, 3), (3, 3, 3, 4), ("NHWC", "HWIO", "NHWC")).rhs_spec
        (3, 2, 0, 1)
    """
    lhs_shape = sequence("conv_dimension_numbers", "lhs_shape", lhs_shape)
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    rank = len(lhs_shape)
    if dimension_numbers is None:
        plain = tuple(range(rank))
        return ConvDimensionNumbers(plain, plain, plain)
    given = sequence("conv_dimension_numbers", "dimension_numbers", dimension_numbers)
    if len(given) != 3 or not all([isinstance(text, str) and len(text) == rank for text in given]):
        raise ArgumentError(
            f"convolution dimension_numbers must be three strings of {rank} letters, got {shown(given)}"
        )
    lhs, rhs, out = given
    spatial = [c for c in rhs if c not in "OI"]

    def read(text: str, first: str, second: str) -> tuple[int, ...]:
        if sorted(text) != sorted([first, second, *spatial]):
            raise ArgumentError(
                f"convolution dimension_numbers {dimension_numbers!r}: {text!r} must consist of {first}, {second} and "
                f"the spatial letters {''.join(spatial)}"
            )
        return (text.index(first), text.index(second), *[text.index(c) for c in spatial])

    return ConvDimensionNumbers(read(lhs, "N", "C"), read(rhs, "O", "I"), read(out, "N", "C"))


def conv_general_dilated(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: Padding,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    out_sharding: object = None,
) -> Array:
    """Compute a convolution, as in neural networks: the kernel is not mirrored.

    Sums of 16-bit floats are computed in 32 bits.

    Args:
        lhs: the input.
        rhs: the kernel, of the same dtype.
        window_strides: the step of the window along each spatial axis.
        padding: "SAME", "SAME_LOWER", "VALID", or a pair of numbers for each spatial axis: how many zeros are added
            on both sides; negative numbers remove elements.
        lhs_dilation: the distance of the input's elements along each spatial axis; 1 by default.
        rhs_dilation: the distance of the kernel's elements along each spatial axis; 1 by default.
        dimension_numbers: the order of the axes of input, kernel and result: see `conv_dimension_numbers`.
        feature_group_count: the number of groups of features, which do not see each other.
        batch_group_count: the number of groups of the batch; one of the two is 1.
        precision: the precision with which accelerators multiply at least.
        preferred_element_type: the dtype of the result, if it is wider.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Raises:
        ShapeError: shapes, groups or lists do not fit.
        DTypeError: input and kernel have different element types.
        ArgumentError: wrong dimension numbers or padding.

    Example:
        >>> import numpy as np
        >>> x = np.arange(5, dtype=np.float32).reshape(1, 1, 5)
        >>> kernel = np.array([1.0, -1.0], np.float32).reshape(1, 1, 2)
        >>> print(conv_general_dilated(x, kernel, (2,), [(1, 0)]).ravel())
        [ 0. -1. -1.]
    """
    if out_sharding is not None:
        return with_out_sharding(
            conv_general_dilated,
            out_sharding,
            lhs,
            rhs,
            window_strides,
            padding,
            lhs_dilation,
            rhs_dilation,
            dimension_numbers,
            feature_group_count,
            batch_group_count,
            precision,
            preferred_element_type,
        )
    window_strides = integers("conv_general_dilated", "window_strides", window_strides)
    feature_group_count = integer(
        "conv_general_dilated", "feature_group_count", feature_group_count
    )
    rhs_dilation = integers_or_none("conv_general_dilated", "rhs_dilation", rhs_dilation)
    lhs_dilation = integers_or_none("conv_general_dilated", "lhs_dilation", lhs_dilation)
    batch_group_count = integer("conv_general_dilated", "batch_group_count", batch_group_count)
    x, kernel = [array_of(v) for v in strict("conv_general_dilated", lhs, rhs)]
    specs = conv_dimension_numbers(x.shape, kernel.shape, dimension_numbers)
    if x.ndim < 2 or kernel.ndim != x.ndim:
        raise ShapeError(
            f"conv_general_dilated: the input {x.shape} and the kernel {kernel.shape} must have equally many axes, "
            "batch and feature axes among them"
        )
    ones = (1,) * (x.ndim - 2)
    base, holes = lhs_dilation or ones, rhs_dilation or ones
    if not len(base) == len(holes) == len(window_strides) == x.ndim - 2:
        raise ShapeError(
            f"conv_general_dilated: window_strides {window_strides}, lhs_dilation {base} and rhs_dilation {holes} must "
            f"have one number for each of the {x.ndim - 2} spatial axes",
            fix=f"give input {x.shape} and kernel {kernel.shape} a batch and a feature axis before the spatial ones: "
            "`x[None, None]`, `kernel[None, None]`"
            if x.ndim - 2 < len(window_strides)
            else "give each list one number for each spatial axis",
        )
    sizes = _dilated([x.shape[i] for i in specs.lhs_spec[2:]], base)
    windows = _dilated([kernel.shape[i] for i in specs.rhs_spec[2:]], holes)
    if isinstance(padding, str):
        padding = padtype_to_pads(sizes, windows, window_strides, padding)
    wanted = as_dtype("conv_general_dilated", preferred_element_type)
    if wanted is not None and x.dtype == kernel.dtype:
        x, kernel = [within_integers(each, wanted) for each in (x, kernel)]
    return ops.convolution(
        x,
        kernel,
        strides=window_strides,
        padding=as_padding("conv_general_dilated", padding),
        lhs_dilation=base,
        rhs_dilation=holes,
        lhs_spec=tuple(specs.lhs_spec),
        rhs_spec=tuple(specs.rhs_spec),
        out_spec=tuple(specs.out_spec),
        feature_group_count=feature_group_count,
        batch_group_count=batch_group_count,
        precision=precision_name(precision),
        element_type=wanted,
    )


def _dilated(sizes: Sequence[int], dilations: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of axes whose elements lie apart.

    Raises:
        ShapeError: the array would be too large for any memory.
    """
    apart = [(n - 1) * max(by, 1) + 1 if n else 0 for n, by in zip(sizes, dilations, strict=True)]
    return as_shape("conv_general_dilated", apart)


def conv(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: Padding,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """Apply `conv_general_dilated` with batch and feature axes first, and without dilations or groups.

    Raises:
        ShapeError: shapes or lists do not fit.
        DTypeError: input and kernel have different element types.
        ArgumentError: wrong padding.

    Example:
        >>> import numpy as np
        >>> x, kernel = np.ones((1, 1, 4), np.float32), np.ones((1, 1, 3), np.float32)
        >>> print(conv(x, kernel, (1,), "SAME").ravel())
        [2. 3. 3. 2.]
    """
    window_strides = integers("conv", "window_strides", window_strides)
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def conv_with_general_padding(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: Padding,
    lhs_dilation: Sequence[int] | None,
    rhs_dilation: Sequence[int] | None,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """Apply `conv_general_dilated` with batch and feature axes first, with dilations and without groups.

    Raises:
        ShapeError: shapes or lists do not fit.
        DTypeError: input and kernel have different element types.
        ArgumentError: wrong padding.

    Example:
        >>> import numpy as np
        >>> x, kernel = np.ones((1, 1, 4), np.float32), np.ones((1, 1, 2), np.float32)
        >>> print(conv_with_general_padding(x, kernel, (1,), "VALID", None, (2,)).ravel())
        [2. 2.]
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )
