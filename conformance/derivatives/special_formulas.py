"""Rows of the special functions that formulas compute."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

import treadle.numpy as tnp
import treadle.scipy.special as special
from conformance.derivatives.row import Row, scalar

FIRST: Final[dict[str, Any]] = {
    "orders": 1,
    "because": "higher orders by parameters are formulas of thousands of operations, tried in ir's own tests",
}


def incomplete_gamma(a: Any, x: Any) -> Any:
    """The lower one."""
    return mp.gammainc(a, 0, x, regularized=True)


def other_incomplete_gamma(a: Any, x: Any) -> Any:
    """The upper one."""
    return mp.gammainc(a, x, mp.inf, regularized=True)


def incomplete_beta(a: Any, b: Any, x: Any) -> Any:
    """Regularised."""
    return mp.betainc(a, b, 0, x, regularized=True)


def dilogarithm(x: Any) -> Any:
    """Of 1 - x."""
    return mp.polylog(2, 1 - x)


def dawson(x: Any) -> Any:
    """With the imaginary error function."""
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def erfcx(x: Any) -> Any:
    """As a product."""
    return mp.exp(x * x) * mp.erfc(x)


def inverse_erfc(y: Any) -> Any:
    """By Newton's method."""
    return mp.findroot(lambda t: mp.log(mp.erfc(t) / y), mp.mpf(float(mp.erfinv(1 - float(y)))))


def log_normal(x: Any) -> Any:
    """The logarithm of the distribution function."""
    return mp.log(mp.erfc(-x / mp.sqrt(2)) / 2)


def box_cox(x: Any, power: Any) -> Any:
    """By the exponential, in a series around 0."""
    z = power * mp.log(x)
    return mp.log(x) * sum(z**k / mp.factorial(k + 1) for k in range(60))


def owens_t(h: Any, a: Any) -> Any:
    """By quadrature."""
    return mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * mp.pi)


def choices(n: Any, k: Any) -> Any:
    """Compute the binomial coefficient of numbers that need not be integers."""
    return mp.binomial(n, k)


def bessels(z: Any) -> Any:
    """Of orders 0 to 2."""
    return np.array([mp.besselj(n, z) for n in range(3)])


def scaled_i0(x: Any) -> Any:
    """For positive x."""
    return mp.exp(-x) * mp.besseli(0, x)


def scaled_i1(x: Any) -> Any:
    """For positive x."""
    return mp.exp(-x) * mp.besseli(1, x)


def harmonic(theta: Any, phi: Any) -> Any:
    """Its real part, of degree 2 and order 1."""
    return -mp.sqrt(15 / (8 * mp.pi)) * mp.sin(theta) * mp.cos(theta) * mp.cos(phi)


def faddeeva(x: Any) -> Any:
    """Real and imaginary part."""
    return np.array([mp.exp(-x * x), 2 / mp.sqrt(mp.pi) * dawson(x)])


ROWS: Final[tuple[Row, ...]] = (
    *(
        scalar(f"{name}", truth, (2.5, 1.5), (0.5, 3.0), **FIRST)
        for names, truth in (
            ("scipy.special.gammainc lax.igamma", incomplete_gamma),
            ("scipy.special.gammaincc lax.igammac", other_incomplete_gamma),
        )
        for name in names.split()
    ),
    scalar("scipy.special.betainc", incomplete_beta, (2.5, 1.5, 0.25), **FIRST),
    scalar("lax.betainc", incomplete_beta, (2.5, 1.5, 0.75), **FIRST),
    scalar("scipy.special.zeta", mp.zeta, (2.5, 1.5), **FIRST),
    scalar("lax.zeta", mp.zeta, (2.5, 1.5), **FIRST),
    *(
        scalar(
            f"{name}",
            lambda x: mp.polygamma(2, x),
            0.5,
            3.0,
            -1.5,
            function=lambda x, f=f, n=n: f(n, x),
        )
        for name, f, n in (
            ("scipy.special.polygamma", special.polygamma, 2),
            ("lax.polygamma", special.polygamma, 2),
        )
    ),
    *(
        scalar(name, truth, 0.5, 3.0, 7.9, 12.0)
        for name, truth in (
            ("scipy.special.i0e", scaled_i0),
            ("lax.bessel_i0e", scaled_i0),
            ("scipy.special.i1e", scaled_i1),
            ("lax.bessel_i1e", scaled_i1),
        )
    ),
    *(
        scalar(f"{name}.i0", lambda x: mp.besseli(0, x), 0.5, -3.0, 9.0)
        for name in ("scipy.special", "numpy")
    ),
    scalar("scipy.special.i1", lambda x: mp.besseli(1, x), 0.0, 1e-3, 0.5, -3.0, 9.0),
    scalar(
        "scipy.special.bessel_jn", bessels, 0.5, 3.0, function=lambda z: special.bessel_jn(z, v=2)
    ),
    scalar("scipy.special.erfcx", erfcx, -1.0, 0.5, 1.0, 3.0),
    scalar("scipy.special.erfcinv", inverse_erfc, 0.25, 1.5),
    scalar(
        "scipy.special.dawsn",
        dawson,
        0.0,
        1.0,
        2.5,
        -6.0,
        rtol=1e-8,
        because="1 - 2 x D(x) cancels for great x",
    ),
    scalar("scipy.special.owens_t", owens_t, (0.5, 0.25), (1.5, 2.0)),
    scalar(
        "scipy.special.log_ndtr",
        log_normal,
        -20.0,
        -1.0,
        0.5,
        4.0,
        rtol=1e-7,
        because="the slope and x cancel in the tail",
    ),
    scalar("scipy.special.boxcox", box_cox, (2.0, 0.0), (2.0, 0.5), (0.5, -1.5)),
    scalar(
        "scipy.special.boxcox1p",
        lambda x, y: box_cox(1 + x, y),
        (1.0, 0.0),
        (1.0, 0.5),
        (0.5, -1.5),
    ),
    scalar("scipy.special.poch", mp.rf, (2.5, 1.5), (0.5, 3.0)),
    scalar("scipy.special.comb", choices, (5.5, 1.5), (7.0, 3.0)),
    scalar("scipy.special.expi", mp.ei, 0.5, 3.0, -2.0),
    scalar("scipy.special.exp1", mp.e1, 0.5, 3.0),
    scalar(
        "scipy.special.expn",
        lambda x: mp.expint(2, x),
        0.5,
        3.0,
        function=lambda x: special.expn(2, x),
    ),
    scalar("scipy.special.spence", dilogarithm, 0.5, 1.0, 1.5, 3.0),
    scalar(
        "scipy.special.sici",
        lambda x: mp.si(x) + mp.cos(0.3) * mp.ci(x),
        0.5,
        3.0,
        5.0,
        function=lambda x: special.sici(x)[0] + np.cos(0.3) * special.sici(x)[1],
    ),
    scalar(
        "scipy.special.fresnel",
        lambda x: mp.fresnels(x) + mp.fresnelc(x) / 2,
        0.5,
        2.0,
        function=lambda x: special.fresnel(x)[0] + special.fresnel(x)[1] / 2,
    ),
    scalar("scipy.special.hyp1f1", mp.hyp1f1, (1.5, 2.5, 0.5), **FIRST),
    scalar("scipy.special.hyp2f1", mp.hyp2f1, (0.5, 1.5, 2.5, 0.25), **FIRST),
    scalar(
        "scipy.special.sph_harm_y",
        harmonic,
        (0.5, 0.25),
        function=lambda theta, phi: special.sph_harm_y(2, 1, theta, phi).real,
    ),
    scalar(
        "scipy.special.wofz",
        faddeeva,
        0.5,
        3.0,
        function=lambda x: tnp.stack([special.wofz(x).real, special.wofz(x).imag]),
    ),
)
