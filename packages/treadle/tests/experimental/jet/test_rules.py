"""Each rule, and what has none, against Taylor coefficients by mpmath; arrays against nested forward mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax, nn
from treadle.experimental.jet import jet
from treadle.scipy import special


@pytest.fixture(autouse=True)
def _wide() -> Iterator[None]:
    with treadle.enable_x64(True):
        yield


ORDER = 6
ELEMENTARY: Any = {
    "sin": (tnp.sin, mp.sin),
    "cos": (tnp.cos, mp.cos),
    "sinh": (tnp.sinh, mp.sinh),
    "cosh": (tnp.cosh, mp.cosh),
    "tanh": (tnp.tanh, mp.tanh),
    "exp": (tnp.exp, mp.exp),
    "expm1": (tnp.expm1, mp.expm1),
    "log": (tnp.log, mp.log),
    "log1p": (tnp.log1p, mp.log1p),
    "sqrt": (tnp.sqrt, mp.sqrt),
    "rsqrt": (lax.rsqrt, lambda x: 1 / mp.sqrt(x)),
    "square": (tnp.square, lambda x: x * x),
    "sigmoid": (nn.sigmoid, lambda x: 1 / (1 + mp.exp(-x))),
    "cube": (lambda x: x**3, lambda x: x**3),
    "power -2": (lambda x: x**-2, lambda x: x**-2),
    "power 0": (lambda x: lax.integer_pow(x, 0) + x, lambda x: 1 + x),
    "power 2.5": (lambda x: x**2.5, lambda x: x**2.5),
    "x to the x": (lambda x: x**x, lambda x: x**x),
    "2 to the x": (lambda x: 2.0**x, lambda x: 2**x),
    "quotient": (lambda x: tnp.exp(x) / (1 + x * x), lambda x: mp.exp(x) / (1 + x * x)),
    "constant over x": (lambda x: 3 / x, lambda x: 3 / x),
    "differences": (lambda x: (1 - x) * (x - 2) - 2 * x, lambda x: (1 - x) * (x - 2) - 2 * x),
    # Without a rule of their own:
    "tan": (tnp.tan, mp.tan),
    "arctan": (tnp.arctan, mp.atan),
    "arcsin": (tnp.arcsin, mp.asin),
    "arccosh": (lambda x: tnp.arccosh(x + 1), lambda x: mp.acosh(x + 1)),
    "erf": (special.erf, mp.erf),
    "lgamma": (lambda x: special.gammaln(x + 1), lambda x: mp.loggamma(x + 1)),
    "cbrt": (tnp.cbrt, mp.cbrt),
    "softplus": (nn.softplus, lambda x: mp.log(1 + mp.exp(x))),
    "atan2": (lambda x: tnp.arctan2(x, 1 - x), lambda x: mp.atan2(x, 1 - x)),
}


@pytest.mark.parametrize("name", ELEMENTARY)
def test_taylor_coefficients(name: str) -> None:
    f, exact = ELEMENTARY[name]
    order = 2 if name == "lgamma" else ORDER  # no derivative of digamma beyond trigamma is known
    y, found = jet(f, (0.4,), ((1.0,) + (0.0,) * (order - 1),), factorial_scaled=False)
    with mp.workdps(40):
        expected = [float(c) for c in mp.taylor(exact, mp.mpf(0.4), order)]
    np.testing.assert_allclose([y, *found], expected, rtol=1e-11, atol=1e-13)


CURVE = ((0.3, -0.7), ((1.5, 0.4), (-0.8, 0.9), (0.6, -1.1), (0.2, 0.5)))


def forward(f: Any) -> Any:
    return lambda t: treadle.jvp(f, (t,), (1.0,))[1]


def nested(f: Any, order: int = 4) -> Any:
    """The derivatives along the curve, by forward mode in forward mode."""
    point, terms = CURVE

    def along(t: Any) -> Any:
        x = tnp.array(point)
        for k, term in enumerate(terms, 1):
            x = x + tnp.array(term) * t**k / float(mp.factorial(k))
        return f(x)

    found = []
    for _ in range(order):
        along = forward(along)
        found.append(along(0.0))
    return found


ARRAYS: Any = {
    "dot": lambda x: tnp.dot(x, tnp.sin(x)),
    "dot with a constant": lambda x: tnp.array([[1.0, 2.0], [3.0, 4.0]]) @ x,
    "constant dot": lambda x: x @ tnp.array([[1.0, 2.0], [3.0, 4.0]]),
    "convolve": lambda x: tnp.convolve(x, x * x),
    "softmax": nn.softmax,
    "sorted": lambda x: tnp.sort(x) * tnp.arange(2.0),
    "maximum": lambda x: tnp.maximum(x, 0.1 * x**2),
    "where": lambda x: tnp.where(x > 0, tnp.exp(x), x**3),
    "max": lambda x: tnp.max(x * x),
    "cumsum and cumprod": lambda x: tnp.cumsum(x) * tnp.cumprod(x),
    "indexing": lambda x: x[tnp.array([1, 1, 0])] * x.at[0].set(2.0)[1],
    "shapes": lambda x: tnp.pad(tnp.stack([x, x * x]).T[::-1].reshape(4)[1:], 1),
    "abs and sign": lambda x: tnp.abs(x) * tnp.sign(x) + tnp.floor(x),
    "complex": lambda x: tnp.abs(tnp.exp(x * (1 + 2j))) * tnp.real((x + 1j * x**2) ** 2),
    "prod": lambda x: tnp.prod(tnp.cos(x)),
    "narrow": lambda x: (x * x).astype(tnp.float32).astype(tnp.float64),
    "stopped": lambda x: lax.stop_gradient(x) * x,
    "logsumexp": lambda x: special.logsumexp(x),
    "argmax": lambda x: x[tnp.argmax(x)],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_agree_with_nested_forward_mode(name: str) -> None:
    f = ARRAYS[name]
    point, terms = CURVE
    y, found = jet(f, (tnp.array(point),), ([tnp.array(term) for term in terms],))
    rtol = 1e-5 if name == "narrow" else 1e-11
    np.testing.assert_allclose(y, f(tnp.array(point)), rtol=1e-12)
    if name == "stopped":
        np.testing.assert_allclose(found, np.array(point) * np.array(terms), rtol=1e-12)
        return
    for mine, theirs in zip(found, nested(f), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=1e-10)


def test_a_whole_power_has_a_series_at_zero() -> None:
    _, found = jet(lambda x: x**3, (0.0,), ((1.0, 0.0, 0.0, 0.0),))
    assert [float(x) for x in found] == [0, 0, 6, 0]
