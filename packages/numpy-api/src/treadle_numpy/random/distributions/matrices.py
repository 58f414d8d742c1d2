"""Distributions that need factorisations of matrices: correlated normal vectors, and orthogonal matrices."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex, is_floating
from treadle_ir.errors import names, shown
from treadle_numpy.numpy.contraction.einsums import einsum
from treadle_numpy.numpy.linalg.eigenvalues import eigh
from treadle_numpy.numpy.linalg.factorisations import cholesky, svd
from treadle_numpy.numpy.manipulation.diagonals import diagonal
from treadle_numpy.numpy.manipulation.shapes import expand_dims
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply
from treadle_numpy.numpy.ufuncs.powers import sqrt
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import common_shape
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.real import coerce_real
from treadle_numpy.operands.shapes import Shape, as_index, as_shape
from treadle_numpy.random.distributions.normal import normal, normal_floats
from treadle_numpy.random.distributions.parameters import float_dtype
from treadle_numpy.random.keys import KeyLike, single

__all__ = ["multivariate_normal", "orthogonal"]

_METHODS = ("cholesky", "eigh", "svd")


def _factor(cov: Array, method: str) -> Array:
    """Return a matrix whose product with its transpose is the covariance."""
    if method == "cholesky":
        return cholesky(cov)
    if method == "eigh":
        values, vectors = eigh(cov)
        return multiply(vectors, expand_dims(sqrt(values), -2))
    left, values, _ = svd(cov)
    return multiply(left, expand_dims(sqrt(values), -2))


@composed
def multivariate_normal(
    key: KeyLike,
    mean: ArrayLike,
    cov: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    method: str = "cholesky",
    *,
    out_sharding: Device = None,
) -> Array:
    """Draw vectors from a normal distribution with a mean and a covariance.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    They are a factor of the covariance times standard normal vectors, plus the mean. `cholesky` is the quickest factor,
    and has NaN where the covariance is not positive definite; `eigh` and `svd` also take covariances of lower rank.
    It has derivatives by `mean` and `cov`. The same key gives JAX's numbers, up to rounding.

    Shapes:
        mean: [*batch, n]; cov: [*batch, n, n]
        result: [*shape, n], where `batch` must broadcast to `shape`

    Args:
        key: a random key.
        mean: the mean vectors.
        cov: the covariances, symmetric.
        shape: of the result without the axis of elements; what the batches broadcast to if None.
        dtype: a floating type; the type of mean and covariance if None, or the default one if that has 16 bits.
        method: `cholesky`, `eigh` or `svd`.

    Raises:
        ArgumentError: another method, or the type is not a floating one.
        ShapeError: the shapes of `mean` and `cov` do not go together.

    Example:
        >>> import numpy as np
        >>> from treadle_numpy.random import key
        >>> drawn = multivariate_normal(key(0), np.zeros(2), np.array([[2.0, 1.0], [1.0, 2.0]]), (1000,))
        >>> bool(0.7 < (drawn[:, 0] * drawn[:, 1]).mean() < 1.3)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(
            multivariate_normal, out_sharding, key, mean, cov, shape, dtype, method
        )
    names("multivariate_normal", method=method)
    if method not in _METHODS:
        raise ArgumentError(
            f"multivariate_normal: method must be one of {', '.join(_METHODS)}, got {shown(method)}"
        )
    if dtype is None:
        met = promote("multivariate_normal", mean, cov, inexact=True)[0].dtype
        dtype = None if met.itemsize < 4 else met  # matrices of 16 bits have no factors
    wanted = float_dtype("multivariate_normal", dtype)
    center = array_of(converted(coerce_real("multivariate_normal", 1, mean), wanted))
    spread = array_of(converted(coerce_real("multivariate_normal", 2, cov), wanted))
    if not center.shape:
        raise ShapeError(
            "multivariate_normal requires mean.ndim >= 1, got mean.ndim == 0",
            fix="pass the elements of the mean along the last axis of an array",
        )
    count = center.shape[-1]
    if spread.ndim < 2 or spread.shape[-2:] != (count, count):
        raise ShapeError(
            f"multivariate_normal requires cov.shape == (..., n, n) for n={count}, but got cov.shape == {spread.shape}"
        )
    batches = [center.shape[:-1], spread.shape[:-2]]
    own = common_shape("multivariate_normal", batches)
    sizes = own if shape is None else as_shape("multivariate_normal", shape)
    if common_shape("multivariate_normal", [sizes, own]) != sizes:
        raise ShapeError(
            f"multivariate_normal: the batch {own} of mean and cov does not broadcast to the shape {sizes}"
        )
    drawn = normal_floats(single("multivariate_normal", key), (*sizes, count), wanted)
    return add(center, einsum("...ij,...j->...i", _factor(spread, method), drawn))


@composed
def orthogonal(
    key: KeyLike,
    n: int,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    m: int | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Orthogonal matrices, uniform in the sense of Haar's measure; unitary ones of a complex type.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    With `m` they are n by m: the columns of tall ones and the rows of wide ones are orthonormal. The same key gives
    JAX's matrices, up to rounding.

    Shapes:
        result: [*shape, n, m]

    Args:
        key: a random key.
        n: the number of rows.
        shape: of the array of matrices.
        dtype: a floating or complex type; the default floating one if None.
        m: the number of columns; `n` if None.

    Raises:
        ArgumentError: the type is neither a floating nor a complex one; ShapeError: a negative size.

    Source: Mezzadri, "How to generate random matrices from the classical compact groups" (2007).

    Example:
        >>> import numpy as np
        >>> from treadle_numpy.random import key
        >>> q = orthogonal(key(0), 3)
        >>> bool(abs(q @ q.T - np.eye(3)).max() < 1e-5)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(orthogonal, out_sharding, key, n, shape, dtype, m)
    wanted = as_dtype("orthogonal", float if dtype is None else dtype)
    if not is_floating(wanted) and not is_complex(wanted):
        raise ArgumentError(
            f"dtype argument to `orthogonal` must be a float or complex dtype, got {wanted}"
        )
    rows = as_index("orthogonal", "n", n)
    columns = rows if m is None else as_index("orthogonal", "m", m)
    *sizes, rows, columns = as_shape("orthogonal", (*as_shape("orthogonal", shape), rows, columns))
    tall = (*sizes, max(rows, columns), min(rows, columns))
    one = single("orthogonal", key)
    # LAPACK has no matrices of 16 bits
    drawn = normal(one, tall, np.float32 if wanted.itemsize < 4 else wanted)
    form, taus = ops.qr_reflections(drawn)
    q = ops.householder_product(form, taus)
    # the factorisation is unique, and its q uniform, where the diagonal of r is positive
    signs = ops.sign(diagonal(form, axis1=-2, axis2=-1))
    uniform = multiply(q, ops.reshape(signs, shape=(*signs.shape[:-1], 1, signs.shape[-1])))
    turned = (
        uniform
        if rows >= columns
        else ops.transpose(uniform, permutation=(*range(len(sizes)), len(sizes) + 1, len(sizes)))
    )
    return array_of(converted(turned, wanted))
