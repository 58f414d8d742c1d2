"""Patches of an input, as the windows of a convolution see them; convolutions with a kernel for each place."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import Array, ShapeError, ops
from treadle_ir.errors import integers, integers_or_none
from treadle_ir.primitives.contract import dilated, window_counts
from treadle_numpy.lax.contraction import contracted
from treadle_numpy.lax.convolution import (
    ConvDimensionNumbers,
    ConvGeneralDilatedDimensionNumbers,
    conv_dimension_numbers,
)
from treadle_numpy.lax.precision import PrecisionLike, precision_name
from treadle_numpy.lax.windows import Padding, as_padding, padtype_to_pads
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.promote import converted

__all__ = ["conv_general_dilated_local", "conv_general_dilated_patches"]


def conv_general_dilated_patches(
    lhs: ArrayLike,
    filter_shape: Sequence[int],
    window_strides: Sequence[int],
    padding: Padding,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers = None,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """Extract the windows of a convolution, each flattened along the feature axis of the result.

    `filter_shape` is the window's size along each spatial axis of the kernel, in the order of `dimension_numbers[1]`.
    The result has the shape of a convolution's with features x window elements: features vary slowest, the axes of the
    window in the order of `dimension_numbers[1]`. Other arguments are as for `conv_general_dilated`.

    Elements are moved, not multiplied: infinities stay infinities. `precision` changes nothing.

    Raises:
        ShapeError: lists do not have one entry for each spatial axis.
        ArgumentError: wrong dimension numbers or padding.

    Example:
        >>> import numpy as np
        >>> x = np.arange(4, dtype=np.float32).reshape(1, 1, 4)
        >>> print(conv_general_dilated_patches(x, (2,), (1,), "VALID")[0])
        [[0. 1. 2.]
         [1. 2. 3.]]
    """
    name = "conv_general_dilated_patches"
    precision_name(precision)
    x = coerce_array(name, 0, lhs)
    wanted = as_dtype(name, preferred_element_type)
    if wanted is not None:
        x = converted(x, wanted)
    specs, patches = _patches(
        name,
        x,
        filter_shape,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        dimension_numbers,
    )
    return _arranged(patches, specs.out_spec)


def conv_general_dilated_local(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: Padding,
    filter_shape: Sequence[int],
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers = None,
    precision: PrecisionLike = None,
) -> Array:
    """Return a convolution that has a kernel of its own for each place of the window ("locally connected").

    The spatial axes of `rhs` are the places: they have the sizes of the result's. Its axis of input features has a
    weight for each element of a window, in the order of `conv_general_dilated_patches`. Other arguments are as for
    `conv_general_dilated`.

    Raises:
        ShapeError: lists do not have one entry for each spatial axis, or the kernels do not have these sizes.
        ArgumentError: wrong dimension numbers or padding.

    Example:
        >>> import numpy as np
        >>> x, kernels = np.ones((1, 1, 3), np.float32), np.arange(4, dtype=np.float32).reshape(1, 2, 2)
        >>> print(conv_general_dilated_local(x, kernels, (1,), "VALID", (2,)))
        [[[2. 4.]]]
    """
    name = "conv_general_dilated_local"
    x, kernels = [array_of(v) for v in strict(name, lhs, rhs)]
    specs, patches = _patches(
        name,
        x,
        filter_shape,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        dimension_numbers,
    )
    _, inputs, *spatial = specs.rhs_spec
    places = tuple([kernels.shape[axis] for axis in spatial]) if kernels.ndim == x.ndim else ()
    if kernels.ndim != x.ndim or (kernels.shape[inputs], *places) != patches.shape[1:]:
        raise ShapeError(
            f"{name}: the kernels {kernels.shape} must have {patches.shape[1]} weights for each of the places "
            f"{patches.shape[2:]}, and as many axes as the input",
            fix="check dimension_numbers and filter_shape",
        )
    batch = tuple(range(2, x.ndim)), tuple(spatial)
    product = contracted(patches, kernels, ((1,), (inputs,)), batch, precision)
    last = product.ndim - 1  # [*places, batch, features]
    return _arranged(
        ops.transpose(product, permutation=(last - 1, last, *range(last - 1))), specs.out_spec
    )


def _patches(
    name: str,
    x: Array,
    filter_shape: Sequence[int],
    window_strides: Sequence[int],
    padding: Padding,
    lhs_dilation: Sequence[int] | None,
    rhs_dilation: Sequence[int] | None,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers,
) -> tuple[ConvDimensionNumbers, Array]:
    """Return where axes are, and [batch, features x window, *places]."""
    window = integers(name, "filter_shape", filter_shape)
    strides = integers(name, "window_strides", window_strides)
    specs = conv_dimension_numbers(x.shape, x.shape, dimension_numbers)
    count = x.ndim - 2
    ones = (1,) * count
    base = integers_or_none(name, "lhs_dilation", lhs_dilation) or ones
    holes = integers_or_none(name, "rhs_dilation", rhs_dilation) or ones
    lists = (window, strides, base, holes)
    if count < 0 or any(len(each) != count or min(each, default=1) < 1 for each in lists):
        raise ShapeError(
            f"{name}: filter_shape {window}, window_strides {strides}, lhs_dilation {base} and rhs_dilation {holes} "
            f"must have one positive number for each of the {max(count, 0)} spatial axes of {x.shape}"
        )
    x = ops.transpose(x, permutation=tuple(specs.lhs_spec))
    if isinstance(padding, str):
        sizes = [dilated(n, b) for n, b in zip(x.shape[2:], base, strict=True)]
        extents = [dilated(n, h) for n, h in zip(window, holes, strict=True)]
        padding = padtype_to_pads(sizes, extents, strides, padding)
    pads = as_padding(name, padding)
    if len(pads) != count:
        raise ShapeError(f"{name}: padding has {len(pads)} pairs for {count} spatial axes")
    places = window_counts(x.shape[2:], window, strides, pads, base, holes)
    x = ops.pad(
        x,
        x.dtype.type(0),
        low=(0, 0, *[low for low, _ in pads]),
        high=(0, 0, *[high for _, high in pads]),
        interior=(0, 0, *[b - 1 for b in base]),
    )
    for i in range(
        count
    ):  # [batch, features, *window so far, *spatial axes]: one axis of the window more
        x = _seen(x, 2 + i, 2 + 2 * i, window[i], strides[i], holes[i], places[i])
    features = x.shape[1]
    for n in window:
        features *= n
    return specs, ops.reshape(x, shape=(x.shape[0], features, *places))


def _seen(x: Array, new: int, axis: int, width: int, stride: int, hole: int, places: int) -> Array:
    """Return a new axis with what a window along `axis` sees at each place, which that axis counts then."""
    parts = []
    for k in range(width):
        start, limit = [0] * x.ndim, list(x.shape)
        steps = [1] * x.ndim
        start[axis] = k * hole if places else 0
        limit[axis] = k * hole + (places - 1) * stride + 1 if places else 0
        steps[axis] = stride
        part = ops.slice(x, start=start, limit=limit, strides=steps)
        parts.append(ops.reshape(part, shape=(*part.shape[:new], 1, *part.shape[new:])))
    return parts[0] if width == 1 else ops.concatenate(parts, dimension=new)


def _arranged(x: Array, out_spec: Sequence[int]) -> Array:
    """[batch, features, *spatial] with these axes where `out_spec` says."""
    order = [0] * x.ndim
    for source, place in enumerate(out_spec):
        order[place] = source
    return ops.transpose(x, permutation=tuple(order))
