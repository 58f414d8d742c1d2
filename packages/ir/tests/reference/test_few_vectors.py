"""Special functions of some elements at once: beside mpmath, in parts of an ulp before they are rounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath
import numpy as np
import pytest

from treadle_ir.primitives import elementwise as e
from treadle_ir.reference.few_vectors import LEAST, VECTORS, of_vector, polynomial

PART: Final = 0.1  # of an ulp of float32, so that rounding leaves 0.6
SCALED: Final = np.linspace(0.0, 8.0, 61)
CASES: Final[dict[type[Any], tuple[Callable[[Any], Any], np.ndarray[Any, Any]]]] = {
    e.BesselI0e: (lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)), np.concatenate([-SCALED, SCALED])),
    e.BesselI1e: (lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), np.concatenate([-SCALED, SCALED, [1e-20]])),
    e.Digamma: (mpmath.digamma, np.array([1e-30, 1e-5, 0.1, 0.5, 1.0, 1.46162, 1.46164, 2.0, 7.7, 300.0, 1e30])),
}  # fmt: skip
OUTSIDE: Final = {
    e.BesselI0e: [8.5],
    e.BesselI1e: [-8.5],
    e.Digamma: [-0.5, 1.4616321],
}


@pytest.mark.parametrize("kind", CASES, ids=lambda kind: kind.__name__)
def test_parts_of_an_ulp(kind: type[Any]) -> None:
    truth, points = CASES[kind]
    x = points.astype(np.float32).astype(np.float64)
    found = VECTORS[kind](x)
    assert found is not None
    with mpmath.workdps(40):
        true = np.array([float(truth(mpmath.mpf(each))) for each in x.tolist()])
    allowed = PART * np.spacing(np.abs(true).astype(np.float32)).astype(np.float64)
    assert np.all(np.abs(found - true) <= allowed), (x, found, true)


@pytest.mark.parametrize("kind", VECTORS, ids=lambda kind: kind.__name__)
def test_what_is_outside_is_computed_one_by_one(
    kind: type[Any], quickly: Callable[..., Any]
) -> None:
    inside = np.linspace(0.1, 0.9, 6)
    assert of_vector(kind, inside) is not None
    assert of_vector(kind, inside[: LEAST - 1]) is None
    for bad in (*OUTSIDE[kind], np.nan):
        x = np.append(inside, bad)
        with np.errstate(all="ignore"):
            assert of_vector(kind, x) is None
            together, one = (quickly(kind.name, each.astype(np.float32)) for each in (x, x[-1:]))
        np.testing.assert_array_equal(together[-1], one[0])
        expected = VECTORS[kind](inside)
        assert expected is not None
        np.testing.assert_allclose(together[:-1], expected, rtol=2e-7)


def test_a_polynomial_is_that_of_each_element() -> None:
    x = np.array([-1.5, 0.0, 2.0])
    np.testing.assert_allclose(polynomial((1.0, -2.0, 3.0))(x), 1 - 2 * x + 3 * x * x, rtol=1e-15)


def test_zeros_keep_their_signs() -> None:
    x = np.array([0.0, -0.0, 0.5, -0.5])
    np.testing.assert_array_equal(np.signbit(VECTORS[e.BesselI1e](x)), np.signbit(x))  # type: ignore[arg-type]  # inside
