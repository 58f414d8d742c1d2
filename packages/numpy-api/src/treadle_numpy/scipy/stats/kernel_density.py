"""Densities estimated from samples by kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Self, TypeAlias, final

from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError
from treadle_ir.tree import register_pytree_node_class
from treadle_numpy.lax.linalg.systems import triangular_solve
from treadle_numpy.numpy.creation.matrices import eye
from treadle_numpy.numpy.linalg.factorisations import cholesky
from treadle_numpy.numpy.manipulation.shapes import atleast_1d, atleast_2d
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.statistics.correlation import cov
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand, promote
from treadle_numpy.random.distributions.normal import normal
from treadle_numpy.random.distributions.selection import choice
from treadle_numpy.random.keys import split
from treadle_numpy.scipy.special.exponents import logsumexp
from treadle_numpy.scipy.special.normals import ndtr

__all__ = ["gaussian_kde"]

Bandwidth: TypeAlias = "str | float | Array | Callable[[gaussian_kde], Array] | None"


@final
@register_pytree_node_class
class gaussian_kde:  # noqa: N801 - SciPy's name
    """The density from which samples were drawn, estimated as the mean of normal densities around them.

    `bw_method` is the factor by which the covariance's root is scaled: a number, a function of this object, or
    "scott" (the default) or "silverman". `weights` count samples more or less.

    Shapes:
        dataset: [d, n], or [n] for one dimension
        weights: [n]

    Raises:
        ShapeError: `dataset` or `weights` has another shape.
        ArgumentError: there is one sample only, or `bw_method` is none of these.

    Example:
        >>> import numpy as np
        >>> density = gaussian_kde(np.array([1.0, 2.0, 4.0, 7.0])).pdf(1.0)
        >>> print(f"{float(density[0]):.4f}")
        0.1105
    """

    neff: Array
    dataset: Array
    weights: Array
    covariance: Array
    inv_cov: Array

    def __init__(
        self, dataset: ArrayLike, bw_method: Bandwidth = None, weights: ArrayLike | None = None
    ) -> None:
        samples = array_of(inexact_operand("gaussian_kde", dataset))
        if samples.ndim > 2:
            raise ShapeError(
                f"gaussian_kde: dataset has shape {samples.shape}, but must be [d, n] or [n]"
            )
        self.dataset = atleast_2d(samples)
        if self.dataset.size < 2:
            raise ArgumentError("gaussian_kde: dataset has one element, but must have several")
        if weights is None:
            self.weights = 0 * self.dataset[0] + 1 / self.n
        else:
            _, given = promote("gaussian_kde", self.dataset, weights, inexact=True)
            counted = atleast_1d(array_of(given))
            if counted.shape != (self.n,):
                raise ShapeError(
                    f"gaussian_kde: weights have shape {counted.shape}, but dataset has {self.n} samples"
                )
            self.weights = counted / sum(counted)
        self.neff = 1 / sum(self.weights**2)
        data = atleast_2d(cov(self.dataset, aweights=self.weights))
        self.covariance = self.inv_cov = data  # for a user's function, which is given this object
        self.covariance = (
            data * array_of(inexact_operand("gaussian_kde", self._factor(bw_method))) ** 2
        )
        identity = eye(self.d, dtype=self.covariance.dtype)
        root = cholesky(self.covariance)
        half = triangular_solve(root, identity, left_side=True, lower=True)
        self.inv_cov = triangular_solve(root, half, left_side=True, lower=True, transpose_a=True)

    def _factor(self, method: Bandwidth) -> ArrayLike:
        if method is None:
            method = "scott"
        if isinstance(method, str):
            if method == "scott":
                return self.neff ** (-1 / (self.d + 4))
            if method == "silverman":
                return (self.neff * (self.d + 2) / 4) ** (-1 / (self.d + 4))
        elif callable(method):
            return method(self)
        elif not getattr(method, "ndim", 0):
            return method
        raise ArgumentError(
            f"gaussian_kde: bw_method is {method!r}, but must be 'scott', 'silverman', a scalar, or a function"
        )

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return int(self.dataset.shape[0])

    @property
    def n(self) -> int:
        """The number of samples."""
        return int(self.dataset.shape[1])

    def tree_flatten(self) -> tuple[tuple[Array, ...], None]:
        """Return the arrays."""
        return (self.neff, self.dataset, self.weights, self.covariance, self.inv_cov), None

    @classmethod
    def tree_unflatten(cls, aux_data: None, children: tuple[Array, ...]) -> Self:
        """From the arrays."""
        made = object.__new__(cls)
        made.neff, made.dataset, made.weights, made.covariance, made.inv_cov = children
        return made

    def evaluate(self, points: ArrayLike) -> Array:
        """Return the density at points of shape [d, m], or [m] in one dimension; of shape [m].

        Raises:
            ShapeError: the points have another dimension.
        """
        return exp(self.logpdf(points))

    def __call__(self, points: ArrayLike) -> Array:
        """Return the density; see `evaluate`."""
        return self.evaluate(points)

    def pdf(self, x: ArrayLike) -> Array:
        """Return the density; see `evaluate`."""
        return self.evaluate(x)

    def logpdf(self, x: ArrayLike) -> Array:
        """Return the logarithm of the density, at points as `evaluate` takes them."""
        return self._log_density(self._points(x), self.covariance)

    def _points(self, x: ArrayLike) -> Array:
        points = atleast_2d(array_of(inexact_operand("gaussian_kde", x)))
        if points.shape[0] != self.d:
            if points.shape != (1, self.d):
                raise ShapeError(
                    f"gaussian_kde: points have dimension {points.shape[0]}, but dataset has {self.d}"
                )
            points = points.reshape(self.d, 1)
        return points

    def _log_density(self, points: Array, covariance: Array) -> Array:
        """Return the logarithm of the weighted mean of normal densities around the samples."""
        root = cholesky(covariance)
        offsets = (points[:, :, None] - self.dataset[:, None, :]).reshape(self.d, -1)
        white = triangular_solve(root, offsets, left_side=True, lower=True)
        distances = sum(white * white, axis=0).reshape(points.shape[1], self.n)
        norming = 0.5 * self.d * math.log(2 * math.pi) + sum(log(root.diagonal()))
        return logsumexp(-0.5 * distances, axis=1, b=self.weights) - norming

    def integrate_gaussian(self, mean: ArrayLike, cov: ArrayLike) -> Array:
        """Return the integral of the density times a normal one.

        Shapes:
            mean: [d]
            cov: [d, d]

        Raises:
            ShapeError: sizes do not fit.
        """
        centre = atleast_1d(array_of(inexact_operand("gaussian_kde", mean)))
        covariance = atleast_2d(array_of(inexact_operand("gaussian_kde", cov)))
        if centre.shape != (self.d,) or covariance.shape != (self.d, self.d):
            raise ShapeError(
                f"gaussian_kde: mean and cov have shapes {centre.shape} and {covariance.shape}, but dataset has "
                f"dimension {self.d}"
            )
        return exp(self._log_density(centre[:, None], self.covariance + covariance))[0]

    def integrate_box_1d(self, low: ArrayLike, high: ArrayLike) -> Array:
        """Return the probability between two numbers, in one dimension.

        Raises:
            ShapeError: there are several dimensions.
        """
        if self.d != 1:
            raise ShapeError(
                f"gaussian_kde: integrate_box_1d is for one dimension, but dataset has {self.d}"
            )
        spread = self.covariance[0, 0] ** 0.5
        above = ndtr((high - self.dataset[0]) / spread)
        below = ndtr((low - self.dataset[0]) / spread)
        return sum(self.weights * (above - below))

    def integrate_kde(self, other: gaussian_kde) -> Array:
        """Return the integral of the product with another estimate.

        Raises:
            ShapeError: that has another dimension.
        """
        if other.d != self.d:
            raise ShapeError(f"gaussian_kde: estimates have dimensions {self.d} and {other.d}")
        densities = self._log_density(other.dataset, self.covariance + other.covariance)
        return sum(other.weights * exp(densities))

    def resample(self, key: Array, shape: tuple[int, ...] = ()) -> Array:
        """Samples of the estimated density, of shape `[d, *shape]`."""
        choosing, moving = split(key)
        chosen = choice(choosing, self.n, shape, p=self.weights)
        offsets = normal(moving, (self.d, *shape), dtype=self.dataset.dtype)
        moved = cholesky(self.covariance) @ offsets.reshape(self.d, -1)
        return self.dataset[:, chosen] + moved.reshape(offsets.shape)

    def integrate_box(
        self, low_bounds: ArrayLike, high_bounds: ArrayLike, maxpts: None = None
    ) -> Array:
        """Not supported.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(
            "gaussian_kde: integrals over boxes are supported in one dimension only",
            fix="use `integrate_box_1d`",
        )

    def set_bandwidth(self, bw_method: Bandwidth = None) -> None:
        """Not supported.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(
            "gaussian_kde: the bandwidth cannot be changed",
            fix="make another one with that `bw_method`",
        )
