"""Special functions as instructions, on operands of one floating type."""

from __future__ import annotations

from treadle_ir import Array, ops
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.exact import matched

__all__ = [
    "bessel_i0e",
    "bessel_i1e",
    "betainc",
    "igamma",
    "igamma_grad_a",
    "igammac",
    "polygamma",
    "random_gamma_grad",
    "zeta",
]


def bessel_i0e(x: ArrayLike) -> Array:
    """Compute `exp(-|x|)` times the modified Bessel function of order 0; exact to 3 units in the last place.

    Example:
        >>> print(bessel_i0e(0.0))
        1.0
    """
    return ops.bessel_i0e(coerce("bessel_i0e", 0, x))


def bessel_i1e(x: ArrayLike) -> Array:
    """Compute `exp(-|x|)` times the modified Bessel function of order 1; exact to 10 units in the last place.

    Example:
        >>> print(bessel_i1e(0.0))
        0.0
    """
    return ops.bessel_i1e(coerce("bessel_i1e", 0, x))


def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """Return the regularised incomplete beta function; see `treadle.scipy.special.betainc`.

    Example:
        >>> print(betainc(1.0, 1.0, 0.25))
        0.25
    """
    return ops.regularized_incomplete_beta(*matched("betainc", a, b, x))


def igamma(a: ArrayLike, x: ArrayLike) -> Array:
    """Return the regularised lower incomplete gamma function; see `treadle.scipy.special.gammainc`.

    Example:
        >>> print(f"{float(igamma(1.0, 2.0)):.4f}")
        0.8647
    """
    return ops.igamma(*matched("igamma", a, x))


def igammac(a: ArrayLike, x: ArrayLike) -> Array:
    """Return the regularised upper incomplete gamma function; see `treadle.scipy.special.gammaincc`.

    Example:
        >>> print(f"{float(igammac(1.0, 2.0)):.4f}")
        0.1353
    """
    return ops.igammac(*matched("igammac", a, x))


def igamma_grad_a(a: ArrayLike, x: ArrayLike) -> Array:
    """Return the derivative of `igamma` by `a`.

    Example:
        >>> print(f"{float(igamma_grad_a(2.0, 3.0)):.4f}")
        -0.1974
    """
    return ops.igamma_grad_a(*matched("igamma_grad_a", a, x))


def random_gamma_grad(a: ArrayLike, x: ArrayLike) -> Array:
    """Return how a sample `x` of the gamma distribution of shape `a` changes with `a`, its quantile kept.

    Example:
        >>> print(f"{float(random_gamma_grad(2.0, 3.0)):.4f}")
        1.3218
    """
    return ops.random_gamma_grad(*matched("random_gamma_grad", a, x))


def polygamma(m: ArrayLike, x: ArrayLike) -> Array:
    """Return the derivative of order `m` of `digamma` at `x`; NaN for an order that is not whole, or negative.

    Derivatives by `m` are 0.

    Example:
        >>> print(f"{float(polygamma(1.0, 1.0)):.4f}")
        1.6449
    """
    return ops.polygamma(*matched("polygamma", m, x))


def zeta(x: ArrayLike, q: ArrayLike) -> Array:
    """Return the Hurwitz zeta function; see `treadle.scipy.special.zeta`.

    Example:
        >>> print(f"{float(zeta(2.0, 1.0)):.4f}")
        1.6449
    """
    return ops.zeta(*matched("zeta", x, q))
