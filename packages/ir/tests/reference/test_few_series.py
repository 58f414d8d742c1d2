"""Series and fractions of a few elements: beside mpmath, in parts of an ulp before they are rounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Final

import mpmath
import numpy as np
import pytest

from treadle_ir import ops
from treadle_ir.primitive import Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference import few, few_formulas, few_series

PART: Final = 0.1  # of an ulp of float32, so that rounding leaves 0.6
MOST_POINTS: Final = 30
A: Final = (2e-4, 0.01, 0.5, 1.0, 3.7, 40.0, 300.0, 999.0)
X: Final = (1e-3, 0.3, 0.5, 1.0, 2.0, 3.9, 4.1, 8.0, 20.0)


def slope_by_a(a: Any, x: Any) -> Any:
    with mpmath.workdps(80):
        step = mpmath.mpf(10) ** -25
        return mpmath.diff(lambda t: mpmath.gammainc(t, 0, x, regularized=True), a, h=step)


Case = tuple[Primitive, Callable[..., Any], Sequence[tuple[float, ...]]]
CASES: Final[tuple[Case, ...]] = (
    (e.IgammaGradA(), slope_by_a, [*product(A, X), *((a, a * m) for a in A for m in (0.9, 1.1, 1.5))]),
    (e.Igamma(), lambda a, x: mpmath.gammainc(a, 0, x, regularized=True), [*product(A, X)]),
    (e.Igammac(), lambda a, x: mpmath.gammainc(a, x, regularized=True), [*product(A, X)]),
    (
        e.RegularizedIncompleteBeta(),
        lambda a, b, x: mpmath.betainc(a, b, 0, x, regularized=True),
        [*product((0.002, 0.5, 1.0, 30.0, 999.0), (0.2, 1.0, 4.0, 90.0), (1e-6, 0.1, 0.49, 0.51, 0.9, 0.999))],
    ),
    (e.Expi(), mpmath.ei, [(x,) for x in (-70, -2.1, -1.9, -0.1, -1e-5, 1e-5, 0.3, 0.371, 0.374, 1, 10, 39.9)]),
    (e.Expn(), mpmath.expint, [*product((1, 2, 3, 20, 50), (1e-6, 0.1, 1.9, 2.1, 20, 75))]),
    (e.Zeta(), mpmath.zeta, [*product((1.0001, 1.5, 2, 10, 39.5), (1e-3, 0.1, 1, 5, 1e4))]),
    (e.Hyp1f1(), mpmath.hyp1f1, [*product((0.3, 2.0, 70.0), (0.5, 3.0, 90.0), (-29.0, -0.5, 1e-4, 0.9, 8.0, 29.0))]),
    (
        e.Hyp2f1(),
        mpmath.hyp2f1,
        [*product((0.3, 2.0, 20.0), (0.5, 3.0), (0.7, 4.0, 40.0), (-20.0, -0.4, 1e-4, 0.3, 0.8, 0.95))],
    ),
    (e.SineIntegral(), mpmath.si, [(x,) for x in (-50, -3.9, -0.3, 1e-5, 0.5, 3.99, 4.01, 7.0, 30.0, 500.0)]),
    (e.CosineIntegral(), mpmath.ci, [(x,) for x in (1e-5, 0.1, 0.5, 2.0, 3.99, 4.01, 7.0, 30.0, 500.0)]),
    (e.Polygamma(), lambda n, x: mpmath.polygamma(int(n), x), [*product((0, 1, 2, 10, 30), (1e-3, 0.1, 1, 5, 1e4))]),
)  # fmt: skip


def rounded(point: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(float(np.float32(each)) for each in point)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0].name))
def test_parts_of_an_ulp(case: Case) -> None:
    primitive, truth, points = case
    scalar = few_formulas.SCALARS.get(type(primitive))
    series = few_series.SERIES.get(type(primitive))
    compared = 0
    for point in map(rounded, points):
        with mpmath.workdps(40):
            true = float(truth(*map(mpmath.mpf, point)))
        if not 2e-38 < abs(true) < 3e38:
            continue
        allowed = PART * float(np.spacing(np.float32(abs(true))))
        found: list[Any] = [] if scalar is None else [scalar(*point)]
        if series is not None:
            several = series(*[np.array([each]) for each in point])
            found += [] if several is None else [several[0]]
        for each in found:
            if each is not None:
                compared += 1
                assert abs(each - true) <= allowed, (point, each, true)
    assert compared >= len(points) / 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0].name))
def test_the_formula_has_the_rest(case: Case, quickly: Callable[..., Any]) -> None:
    """Where elements alone give nothing, and at the ends, few elements are computed as many are."""
    name, count = case[0].name, len(case[2][0])
    ends = np.array(
        [0.0, -0.0, -1.0, -0.5, 1.0, 0.37250742, 2.0, 60.0, 1e5, np.inf, np.nan], np.float32
    )
    points = [each.ravel() for each in np.meshgrid(*[ends] * count)]
    if points[0].size > MOST_POINTS:
        some = np.random.default_rng(0).choice(points[0].size, MOST_POINTS, replace=False)
        points = [each[some] for each in points]
    function = getattr(ops, name)
    times = -(-few.MOST // points[0].size) + 1
    many = np.asarray(function(*[np.tile(each, times) for each in points]))[: points[0].size]
    one_by_one = np.stack([quickly(name, *point) for point in zip(*points, strict=True)])
    np.testing.assert_allclose(one_by_one, many, rtol=3e-7, atol=1e-37)


def test_a_number_beside_an_array(quickly: Callable[..., Any]) -> None:
    x = np.linspace(0.1, 5.0, 6, dtype=np.float32)
    both = quickly("polygamma", np.full_like(x, 2.0), x)
    np.testing.assert_array_equal(quickly("polygamma", np.float32(2.0), x), both)
