"""The special cases that the array API standard states for functions of complex numbers, by every evaluator.

Source: Python array API standard 2025.12, "Special cases" of each function; they agree with C99's Annex G, except for
`tanh(inf + yj)`, whose imaginary part the standard gives the sign of y.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle_ir import ReferenceEvaluator, evaluating

INF: Final = math.inf
NAN: Final = math.nan
PI: Final = math.pi
TINY_TO_LARGE: Final = (1e-30, 0.25, 1.0, 2.0, 3.0, 1e3, 1e30)
FINITE: Final = (0.0, *TINY_TO_LARGE)
NONZERO: Final = (*TINY_TO_LARGE, *(-x for x in TINY_TO_LARGE))
ANY_FINITE: Final = (0.0, -0.0, *NONZERO)


class Either(float):
    """A part of a result whose sign is not specified."""


Case = tuple[complex, Any, Any]  # an argument, and the parts of the result


def along(xs: tuple[float, ...], ys: tuple[float, ...], real: Any, imag: Any) -> Iterator[Case]:
    """The same result for all pairs of parts."""
    for x in xs:
        for y in ys:
            yield complex(x, y), real, imag


def circle(x: float, ys: tuple[float, ...], radius: float, less: float = 0.0) -> Iterator[Case]:
    """`radius * (cos(y) + sin(y)j) - less`, part by part."""
    for y in ys:
        if abs(y) > 1e3:
            continue  # complex64 has another number there
        yield complex(x, y), radius * math.cos(y) - less, radius * math.sin(y)


def infinities(low: tuple[float, float], high: tuple[float, float]) -> list[Case]:
    """Both parts infinite."""
    return [(complex(-INF, INF), *low), (complex(INF, INF), *high)]


ZEROS: Final = (0.0, -0.0)
BOTH: Final = (INF, -INF)
ASINH: Final[list[Case]] = [
    (complex(0, 0), 0.0, 0.0),
    *along(TINY_TO_LARGE, (INF,), INF, PI / 2),
    *along(ANY_FINITE, (NAN,), NAN, NAN),
    *along((INF,), TINY_TO_LARGE, INF, 0.0),
    (complex(INF, INF), INF, PI / 4),
    (complex(INF, NAN), INF, NAN),
    (complex(NAN, 0), NAN, 0.0),
    *along((NAN,), NONZERO, NAN, NAN),
    (complex(NAN, INF), Either(INF), NAN),
    (complex(NAN, NAN), NAN, NAN),
]
ATANH: Final[list[Case]] = [
    (complex(0, 0), 0.0, 0.0),
    (complex(0, NAN), 0.0, NAN),
    (complex(1, 0), INF, 0.0),
    *along(TINY_TO_LARGE, (INF,), 0.0, PI / 2),
    *along(NONZERO, (NAN,), NAN, NAN),
    *along((INF,), TINY_TO_LARGE, 0.0, PI / 2),
    (complex(INF, INF), 0.0, PI / 2),
    (complex(INF, NAN), 0.0, NAN),
    *along((NAN,), ANY_FINITE, NAN, NAN),
    (complex(NAN, INF), Either(0.0), PI / 2),
    (complex(NAN, NAN), NAN, NAN),
]
COSH: Final[list[Case]] = [
    (complex(0, 0), 1.0, 0.0),
    (complex(0, INF), NAN, Either(0.0)),
    (complex(0, NAN), NAN, Either(0.0)),
    *along(NONZERO, (INF, NAN), NAN, NAN),
    (complex(INF, 0), INF, 0.0),
    *circle(INF, NONZERO, INF),
    (complex(INF, INF), Either(INF), NAN),
    (complex(INF, NAN), INF, NAN),
    *along((NAN,), ZEROS, NAN, Either(0.0)),
    *along((NAN,), (*NONZERO, *BOTH, NAN), NAN, NAN),
]
SINH: Final[list[Case]] = [
    (complex(0, 0), 0.0, 0.0),
    (complex(0, INF), Either(0.0), NAN),
    (complex(0, NAN), Either(0.0), NAN),
    *along(TINY_TO_LARGE, (INF, NAN), NAN, NAN),
    (complex(INF, 0), INF, 0.0),
    *circle(INF, TINY_TO_LARGE, INF),
    (complex(INF, INF), Either(INF), NAN),
    (complex(INF, NAN), Either(INF), NAN),
    (complex(NAN, 0), NAN, 0.0),
    *along((NAN,), (*NONZERO, *BOTH, NAN), NAN, NAN),
]
TANH: Final[list[Case]] = [
    (complex(0, 0), 0.0, 0.0),
    *along(NONZERO, (INF, NAN), NAN, NAN),
    (complex(0, INF), 0.0, NAN),
    (complex(0, NAN), 0.0, NAN),
    *along((INF,), FINITE, 1.0, 0.0),
    (complex(INF, INF), 1.0, Either(0.0)),
    (complex(INF, NAN), 1.0, Either(0.0)),
    (complex(NAN, 0), NAN, 0.0),
    *along((NAN,), (*NONZERO, *BOTH, NAN), NAN, NAN),
]
LOG: Final[list[Case]] = [
    (complex(-0.0, 0), -INF, PI),
    (complex(0, 0), -INF, 0.0),
    *along(ANY_FINITE, (INF,), INF, PI / 2),
    *along(ANY_FINITE, (NAN,), NAN, NAN),
    *along((-INF,), TINY_TO_LARGE, INF, PI),
    *along((INF,), TINY_TO_LARGE, INF, 0.0),
    *infinities((INF, 3 * PI / 4), (INF, PI / 4)),
    *along(BOTH, (NAN,), INF, NAN),
    *along((NAN,), ANY_FINITE, NAN, NAN),
    (complex(NAN, INF), INF, NAN),
    (complex(NAN, NAN), NAN, NAN),
]


def turned(cases: list[Case], of_i: bool, by_i: bool) -> list[Case]:
    """Return cases of `f(z)` from cases of `g`: `-i g(iz)`, or `g(iz)`: `sin` from `sinh`, `cos` from `cosh`."""
    made = []
    for z, real, imag in cases:
        argument = complex(z.imag, -z.real) if of_i else z  # i times that is z
        made.append((argument, imag, negative(real)) if by_i else (argument, real, imag))
    return made


def negative(x: Any) -> Any:
    return x if isinstance(x, Either) else -x


def by_base(cases: list[Case], base: float) -> list[Case]:
    """Logarithms to another base."""
    return [(z, real, imag / math.log(base)) for z, real, imag in cases]


CASES: Final[dict[str, list[Case]]] = {
    "acos": [
        *along(ZEROS, (0.0,), PI / 2, -0.0),
        *along(ZEROS, (NAN,), PI / 2, NAN),
        *along(ANY_FINITE, (INF,), PI / 2, -INF),
        *along(NONZERO, (NAN,), NAN, NAN),
        *along((-INF,), TINY_TO_LARGE, PI, -INF),
        *along((INF,), TINY_TO_LARGE, 0.0, -INF),
        *infinities((3 * PI / 4, -INF), (PI / 4, -INF)),
        *along(BOTH, (NAN,), NAN, Either(INF)),
        *along((NAN,), ANY_FINITE, NAN, NAN),
        (complex(NAN, INF), NAN, -INF),
        (complex(NAN, NAN), NAN, NAN),
    ],
    "acosh": [
        *along(ZEROS, (0.0,), 0.0, PI / 2),
        *along(ANY_FINITE, (INF,), INF, PI / 2),
        *along(NONZERO, (NAN,), NAN, NAN),
        *along(ZEROS, (NAN,), NAN, Either(PI / 2)),
        *along((-INF,), TINY_TO_LARGE, INF, PI),
        *along((INF,), TINY_TO_LARGE, INF, 0.0),
        *infinities((INF, 3 * PI / 4), (INF, PI / 4)),
        *along(BOTH, (NAN,), INF, NAN),
        *along((NAN,), ANY_FINITE, NAN, NAN),
        (complex(NAN, INF), INF, NAN),
        (complex(NAN, NAN), NAN, NAN),
    ],
    "asinh": ASINH,
    "asin": turned(ASINH, of_i=True, by_i=True),
    "atanh": ATANH,
    "atan": turned(ATANH, of_i=True, by_i=True),
    "cosh": COSH,
    "cos": turned(COSH, of_i=True, by_i=False),
    "sinh": SINH,
    "sin": turned(SINH, of_i=True, by_i=True),
    "tanh": TANH,
    "tan": turned(TANH, of_i=True, by_i=True),
    "exp": [
        *along(ZEROS, (0.0,), 1.0, 0.0),
        *along(ANY_FINITE, (INF, NAN), NAN, NAN),
        (complex(INF, 0), INF, 0.0),
        *circle(-INF, ANY_FINITE, 0.0),
        *circle(INF, NONZERO, INF),
        (complex(-INF, INF), Either(0.0), Either(0.0)),
        (complex(INF, INF), Either(INF), NAN),
        (complex(-INF, NAN), Either(0.0), Either(0.0)),
        (complex(INF, NAN), Either(INF), NAN),
        (complex(NAN, 0), NAN, 0.0),
        *along((NAN,), (*NONZERO, *BOTH, NAN), NAN, NAN),
    ],
    "expm1": [
        *along(ZEROS, (0.0,), 0.0, 0.0),
        *along(ANY_FINITE, (INF, NAN), NAN, NAN),
        (complex(INF, 0), INF, 0.0),
        *circle(-INF, ANY_FINITE, 0.0, less=1.0),
        *circle(INF, NONZERO, INF, less=1.0),
        (complex(-INF, INF), -1.0, Either(0.0)),
        (complex(INF, INF), Either(INF), NAN),
        (complex(-INF, NAN), -1.0, Either(0.0)),
        (complex(INF, NAN), Either(INF), NAN),
        (complex(NAN, 0), NAN, 0.0),
        *along((NAN,), (*NONZERO, *BOTH, NAN), NAN, NAN),
    ],
    "log": LOG,
    "log2": by_base(LOG, 2),
    "log10": by_base(LOG, 10),
    "log1p": [(complex(-1, 0), -INF, 0.0), *[case for case in LOG if case[0] != 0]],
    "sqrt": [
        *along(ZEROS, (0.0,), 0.0, 0.0),
        *along((*ANY_FINITE, *BOTH, NAN), (INF,), INF, INF),
        *along(ANY_FINITE, (NAN,), NAN, NAN),
        *along((-INF,), TINY_TO_LARGE, 0.0, INF),
        *along((INF,), TINY_TO_LARGE, INF, 0.0),
        (complex(-INF, NAN), NAN, Either(INF)),
        (complex(INF, NAN), INF, NAN),
        *along((NAN,), (*ANY_FINITE, NAN), NAN, NAN),
    ],
    "sign": [
        *along(ZEROS, ZEROS, Either(0.0), Either(0.0)),
        *along((NAN,), (*ANY_FINITE, *BOTH, NAN), NAN, NAN),
        *along((*ANY_FINITE, *BOTH), (NAN,), NAN, NAN),
    ],
}
ODD: Final = ("asin", "asinh", "atan", "atanh", "sin", "sinh", "tan", "tanh")
EVEN: Final = ("cos", "cosh")
HOW: Final = ("jit", "without jit", "the reference evaluator")


def mirrored(name: str, cases: list[Case]) -> list[Case]:
    """The same of conjugates, and of the negative where the function is odd or even."""
    found = [*cases, *((z.conjugate(), re, negative(im)) for z, re, im in cases)]
    if name in ODD:
        found += [(-z, negative(re), negative(im)) for z, re, im in found]
    elif name in EVEN:
        found += [(-z, re, im) for z, re, im in found]
    return found


def wrong(found: Any, expected: Any, rtol: float) -> bool:
    """Return whether a real or imaginary part is another number, or has another sign."""
    if math.isnan(expected) or math.isinf(expected):
        same = math.isnan(found) if math.isnan(expected) else abs(found) == INF
    else:
        same = abs(abs(found) - abs(expected)) <= rtol * abs(expected)
    if math.isnan(expected) or isinstance(expected, Either):
        return not same
    return not same or math.copysign(1, found) != math.copysign(1, expected)


def computed(name: str, how: str, x: Any) -> list[Any]:
    """All elements at once; without jit also one by one, where another library may compute them."""
    function = getattr(tnp, name)
    if how == "jit":
        return [np.asarray(treadle.jit(function)(x))]
    with evaluating(ReferenceEvaluator()) if how != "without jit" else nullcontext():
        return [np.asarray(function(x)), np.array([np.asarray(function(each)) for each in x])]


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """The system as users have it, with 64-bit types."""
    with treadle.enable_x64(True):
        yield


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", CASES)
def test_special_cases(name: str, how: str, dtype: str) -> None:
    cases = mirrored(name, CASES[name])
    results = computed(name, how, np.array([z for z, _, _ in cases], dtype))
    rtol = 1e-5 if dtype == "complex64" else 1e-13
    faults = [
        f"{name}({z}) is {y}, and not {complex(real, imag)}"
        for found in results
        for (z, real, imag), y in zip(cases, found, strict=True)
        if wrong(y.real, real, rtol) or wrong(y.imag, imag, rtol)
    ]
    assert not faults, "\n".join([f"{len(faults)} of {len(results) * len(cases)}", *faults])
