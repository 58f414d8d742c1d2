"""Special functions that Python has: within an ulp of mpmath, and equal to the rule where a function ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath
import numpy as np
import pytest

from treadle_ir import ReferenceEvaluator, evaluating, ops
from treadle_runtime.evaluation.host import math_functions

POINTS: Final = [
    *(
        1e-38,
        1e-30,
        1e-5,
        0.25,
        0.4999999,
        0.5,
        0.75,
        0.9999,
        0.99999994,
        1.0,
        1.0000001,
    ),
    *(1.5, 1.9999999, 2.0, 2.0000002, 2.5, 3.0, 9.9999, 10.0, 30.0, 1e4, 1e30),
]
SPECIAL: Final = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.0]
EXACT: Final[dict[str, Callable[[Any], Any]]] = {
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if x < 1e5 else mpmath.loggamma(x),
    "erf_inv": mpmath.erfinv,
}


@pytest.mark.parametrize("name", EXACT)
def test_an_ulp_of_float32(name: str, quickly: Callable[..., Any]) -> None:
    points = [x for x in POINTS if name != "erf_inv" or x < 1]
    points += [-x for x in points if name in ("erf", "erfc", "erf_inv")]
    if name == "lgamma":
        points = [x for x in points if x < 1e30]
        points += [-0.25, -1.5, -3.75, -20.125]
    x = np.array(points, np.float32)
    assert x.size <= math_functions.MOST
    found = quickly(name, x)
    with mpmath.workdps(40):
        true = np.array([float(EXACT[name](mpmath.mpf(float(each)))) for each in x])
    ulp = np.spacing(np.abs(true).astype(np.float32)).astype(np.float64)
    assert np.all(np.abs(found.astype(np.float64) - true) <= ulp), (x, found, true)


ENDS: Final = [
    (name, np.dtype(letter))
    for name in EXACT
    for letter in ("efd" if name in ("erf", "erfc") else "ef")
]


@pytest.mark.parametrize(("name", "dtype"), ENDS)
def test_the_same_where_the_function_ends(
    name: str, dtype: np.dtype[Any], quickly: Callable[..., Any]
) -> None:
    x = np.array(SPECIAL, dtype)
    with evaluating(ReferenceEvaluator()):
        expected = np.asarray(getattr(ops, name)(x))
    ulp = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(quickly(name, x), expected, rtol=ulp, atol=0)


@pytest.mark.parametrize("name", EXACT)
def test_any_shape(name: str, quickly: Callable[..., Any]) -> None:
    assert quickly(name, np.float32(0.5)).shape == ()
    rows = np.linspace(0.1, 0.9, 6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(quickly(name, rows).ravel(), quickly(name, rows.ravel()))


def test_the_inverse_of_erf_is_right_to_a_few_units_of_float64() -> None:
    points = [1e-300, 1e-30, 9.99e-7, 1.01e-6, 1e-3, *np.linspace(0.01, 0.99, 67).tolist()]
    points += [0.99999, 1.0 - 2.0**-24]
    x = np.array([*points, 2.0**-149], np.float32).astype(np.float64).tolist()
    with mpmath.workdps(40):
        true = [float(mpmath.erfinv(mpmath.mpf(each))) for each in x]
    np.testing.assert_allclose([math_functions.erf_inv(each) for each in x], true, rtol=1e-15)
    assert [math_functions.erf_inv(-each) for each in x] == [
        -math_functions.erf_inv(each) for each in x
    ]
