"""Initializers of orthogonal matrices, and of convolutions that apply one at their centre."""

from __future__ import annotations

from math import prod

from treadle_ir import Array, ShapeError
from treadle_numpy.nn.initializers.protocol import Initializer
from treadle_numpy.numpy.creation.constant import zeros
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.shapes import reshape
from treadle_numpy.numpy.padding import pad
from treadle_numpy.numpy.ufuncs.arithmetic import multiply
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import Shape, as_index, as_shape
from treadle_numpy.random.distributions import matrices
from treadle_numpy.random.keys import KeyLike

__all__ = ["delta_orthogonal", "orthogonal"]


def _matrix(
    key: KeyLike, shape: tuple[int, ...], scale: ArrayLike, axis: int, dtype: DTypeLike | None
) -> Array:
    """Return an array that is orthogonal as a matrix of one axis by all others, times a scale."""
    columns = shape[axis]
    others = shape[:axis] + shape[axis + 1 :]
    drawn = matrices.orthogonal(key, prod(others), (), dtype, columns)
    factor = array_of(converted(coerce("orthogonal", 0, scale), drawn.dtype))
    return multiply(moveaxis(reshape(drawn, (*others, columns)), -1, axis), factor)


def orthogonal(
    scale: ArrayLike = 1.0, column_axis: int = -1, dtype: DTypeLike | None = None
) -> Initializer:
    """Return an initializer of orthogonal matrices, uniform in the sense of Haar's measure; unitary ones of a complex
    type.

    Arrays of more axes are orthogonal as matrices of all other axes by `column_axis`. Where there are fewer columns
    than rows, the columns are orthonormal, else the rows.

    Args:
        scale: what the orthogonal matrix is multiplied by.
        column_axis: the axis of columns.
        dtype: the element type where the call gives none, floating or complex.

    Raises:
        ShapeError: the shape has fewer than two axes; AxisError: it has no such axis.
        ArgumentError: another element type.

    Source: Saxe, McClelland, Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep linear neural
        networks" (2014).

    Example:
        >>> import numpy as np
        >>> from treadle_numpy.random import key
        >>> weights = orthogonal()(key(0), (2, 5))
        >>> bool(abs(weights @ weights.T - np.eye(2)).max() < 1e-5)
        True
    """
    coerce("orthogonal", 0, scale)
    axis, default = as_index("orthogonal", "`column_axis`", column_axis), dtype

    def init(
        key: KeyLike, shape: Shape, dtype: DTypeLike | None = default, out_sharding: Device = None
    ) -> Array:
        sizes = as_shape("orthogonal", shape)
        if len(sizes) < 2:
            raise ShapeError(
                f"orthogonal initializer requires at least a 2D shape, got {sizes}",
                fix="add an axis, or use another initializer for vectors",
            )
        place = as_axis("orthogonal", axis, len(sizes))
        return placed(_matrix(key, sizes, scale, place, dtype), out_sharding)

    return init


def delta_orthogonal(
    scale: ArrayLike = 1.0, column_axis: int = -1, dtype: DTypeLike | None = None
) -> Initializer:
    """Return an initializer of convolutions: an orthogonal matrix at the centre of the window, and zeros around it.

    Shapes are the shapes of kernels in one, two or three dimensions: the window, inputs, outputs.

    Args:
        scale: what the orthogonal matrix is multiplied by.
        column_axis: the axis of columns of the matrix of inputs by outputs.
        dtype: the element type where the call gives none, floating or complex.

    Raises:
        ShapeError: the shape has not 3, 4 or 5 axes, or fewer outputs than inputs.
        ArgumentError: another element type.

    Source: Xiao, Bahri, Sohl-Dickstein, Schoenholz, Pennington, "Dynamical isometry and a mean field theory of CNNs"
        (2018).

    Example:
        >>> from treadle_numpy.random import key
        >>> kernel = delta_orthogonal()(key(0), (3, 2, 4))
        >>> bool((kernel[0] == 0).all()), kernel[1].shape
        (True, (2, 4))
    """
    coerce("delta_orthogonal", 0, scale)
    axis, default = as_index("delta_orthogonal", "`column_axis`", column_axis), dtype

    def init(
        key: KeyLike, shape: Shape, dtype: DTypeLike | None = default, out_sharding: Device = None
    ) -> Array:
        sizes = as_shape("delta_orthogonal", shape)
        if len(sizes) not in (3, 4, 5):
            raise ShapeError(
                f"delta_orthogonal initializer requires a 3D, 4D or 5D shape, got {sizes}",
                fix="pass the shape of a kernel: its window, inputs, outputs",
            )
        if sizes[-1] < sizes[-2]:
            raise ShapeError(
                f"delta_orthogonal: `fan_in` must be less or equal than `fan_out`, got {sizes[-2]} inputs and "
                f"{sizes[-1]} outputs"
            )
        place = as_axis("delta_orthogonal", axis, 2)
        center = _matrix(key, sizes[-2:], scale, place, dtype)
        if 0 in sizes:
            return zeros(sizes, center.dtype, device=out_sharding)
        window = reshape(center, (1,) * (len(sizes) - 2) + sizes[-2:])
        around = [((n - 1) // 2, n // 2) for n in sizes[:-2]]
        return placed(pad(window, [*around, (0, 0), (0, 0)]), out_sharding)

    return init
