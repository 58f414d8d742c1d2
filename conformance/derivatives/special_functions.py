"""Rows of `treadle.scipy.special`."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

import treadle.scipy.special as special
from conformance.derivatives.row import Row, array, scalar


def log_gamma(x: Any) -> Any:
    """The logarithm of the absolute value."""
    return mp.log(abs(mp.gamma(x))) if x < 0 else mp.loggamma(x)


def log_sum(x: Any, b: Any = 1) -> Any:
    """`log(sum(b * exp(x)))`."""
    top = max(x.ravel())
    return top + mp.log(sum((b * np.frompyfunc(mp.exp, 1, 1)(x - top)).ravel()))


def soft_maximum(x: Any) -> Any:
    """`exp(x)` by its sum."""
    powers = np.frompyfunc(mp.exp, 1, 1)(x - max(x.ravel()))
    return powers / sum(powers.ravel())


def log_soft_maximum(x: Any) -> Any:
    """`x - log(sum(exp(x)))`."""
    return x - log_sum(x)


def relative_entropy(x: Any, y: Any) -> Any:
    """`x log(x / y)`."""
    return x * mp.log(x / y)


def log_multigamma(d: int) -> Any:
    """Of a dimension."""
    return lambda a: (
        d * (d - 1) / mp.mpf(4) * mp.log(mp.pi)
        + sum(log_gamma(a - mp.mpf(i) / 2) for i in range(d))
    )


def scaled_erfinv(x: Any) -> Any:
    """`erfinv`; mpmath's refuses what has a rounding error in it at most precisions."""
    return mp.findroot(lambda y: mp.erf(y) - x, mp.mpf(float(mp.erfinv(float(x)))))


def normal_quantile(p: Any) -> Any:
    """The inverse of the normal distribution function."""
    return mp.sqrt(2) * scaled_erfinv(2 * p - 1)


TIES: Final = ([1.0, 1.0, 1.0],)
SPREAD: Final = ([0.5, -1.0, 2.0],)
FAR: Final = ([-1000.0, 0.0, 1000.0],)
WHOLE: Final = (1.0, 2.0, 3.0, 10.0)  # where steps of recurrences meet
ROWS: Final[tuple[Row, ...]] = (
    scalar("scipy.special.loggamma", log_gamma, 0.1, 0.5, 1e-3, 2.5, 33.3, 1e5),
    scalar("scipy.special.gammaln", log_gamma, *WHOLE, 0.5, 1e-3, -0.5, -2.5, 33.3, 1e5),
    scalar("scipy.special.digamma", mp.digamma, *WHOLE, 0.5, 1e-3, -0.5, -2.5, 33.3, 1e5),
    scalar("scipy.special.gamma", mp.gamma, *WHOLE, 0.5, 1e-3, -0.5, -2.5, 33.3),
    scalar("scipy.special.factorial", mp.factorial, 1.0, 2.0, 10.0, 0.5, 1e-3, kinks=(0.0,)),
    scalar("scipy.special.beta", mp.beta, (1.0, 1.0), (2.0, 10.0), (0.5, 1.5), (-0.5, 1.25)),
    scalar(
        "scipy.special.betaln",
        lambda x, y: mp.log(abs(mp.beta(x, y))),
        (1.0, 1.0),
        (2.0, 10.0),
        (0.5, 1.5),
    ),
    *(
        scalar(
            "scipy.special.multigammaln",
            log_multigamma(d),
            2.0,
            3.5,
            function=lambda a, d=d: special.multigammaln(a, d),
        )
        for d in (1, 2, 3)
    ),
    scalar("scipy.special.erf", mp.erf, 0.0, 0.5, -1.0, 5.0),
    scalar("scipy.special.erfc", mp.erfc, 0.0, 0.5, -1.0, 5.0, 10.0),
    scalar("scipy.special.erfinv", scaled_erfinv, 0.0, 0.5, -0.9),
    scalar("scipy.special.ndtr", mp.ncdf, 0.0, 1.0, -1.0, 0.3, 5.0, -10.0),
    scalar("scipy.special.ndtri", normal_quantile, 0.5, 0.3, 0.01, 0.99),
    scalar("scipy.special.expit", lambda x: 1 / (1 + mp.exp(-x)), 0.0, 1.0, -40.0),
    scalar("scipy.special.logit", lambda x: mp.log(x / (1 - x)), 0.5, 1e-9, 0.9),
    scalar(
        "scipy.special.xlogy",
        lambda x, y: x * mp.log(y),
        (0.0, 2.0),
        (0.0, 1.0),
        (3.0, 1.0),
        (-1.0, 0.5),
        kinks=((0.0, 0.0),),
    ),
    scalar(
        "scipy.special.xlog1py",
        lambda x, y: x * mp.log1p(y),
        (0.0, 2.0),
        (0.0, 0.0),
        (3.0, 0.0),
        (-1.0, -0.5),
        (1.0, 1e-9),
    ),
    scalar("scipy.special.entr", lambda x: -x * mp.log(x), 1.0, 0.5, 1e-9, kinks=(0.0,)),
    scalar(
        "scipy.special.rel_entr",
        relative_entropy,
        (1.0, 1.0),
        (0.5, 2.0),
        (1e-9, 1.0),
        kinks=((0.0, 1.0),),
    ),
    scalar(
        "scipy.special.kl_div",
        lambda x, y: relative_entropy(x, y) - x + y,
        (1.0, 1.0),
        (0.5, 2.0),
        (1e-9, 1.0),
        kinks=((0.0, 1.0),),
    ),
    array("scipy.special.logsumexp", TIES, SPREAD, FAR, truth=log_sum),
    array(
        "scipy.special.logsumexp",
        (*SPREAD, [1.0, 2.0, 0.5]),
        (*TIES, [1.0, 0.0, 2.0]),
        (*SPREAD, [1.0, -0.25, 2.0]),
        truth=log_sum,
        function=lambda x, b: special.logsumexp(x, b=b),
    ),
    array(
        "scipy.special.logsumexp",
        (*SPREAD, [-1.0, 0.5, 0.01]),
        truth=lambda x, b: log_sum(x, -b),
        function=lambda x, b: special.logsumexp(x, b=b, return_sign=True)[0],
    ),
    array("scipy.special.softmax", TIES, SPREAD, truth=soft_maximum),
    array("scipy.special.log_softmax", TIES, SPREAD, truth=log_soft_maximum),
)
