"""Derivatives of functions of two operands along lines: `f(x, x)`, `f(x, 1)` and `f(1, x)`.

At ordinary points and at special ones. A rule by each operand may be right wherever both operands move apart, and
wrong where they are the same, or where one of them is at its end: 0, where `x ** x` begins and `copysign` turns. The
truth is the limit of differences over ever smaller steps: a slope, a slope that grows beyond all bounds, or none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.scipy import special

Binary = Callable[[Any, Any], Any]

POINTS: Final = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -2.0, 1.3, -1.3, 0.25, 7.5])
STEPS: Final = (1e-3, 1e-5, 1e-7)
LINES: Final[dict[str, Callable[[Binary], Callable[[Any], Any]]]] = {
    "f(x, x)": lambda f: lambda x: f(x, x),
    "f(x, 1)": lambda f: lambda x: f(x, tnp.ones_like(x)),
    "f(1, x)": lambda f: lambda x: f(tnp.ones_like(x), x),
}
LEFT_OUT: Final = {
    "polygamma": "an order is a whole number",
    "expn": "an order is a whole number",
    "nextafter": "the step to the next number is not a slope",
    "random_gamma_grad": "samples are above 0, where it is infinitely steep",
    "rel_entr": "at probability 0 the slope is 0, by convention, as in JAX",
    "kl_div": "at probability 0 the slope is the slope of the remaining terms, by convention, as in JAX",
}
NAN_ACCEPTED: Final = {"treadle.scipy.special.poch": "a quotient of gammas, both of them infinite"}


def binary_functions() -> Iterator[tuple[str, Binary]]:
    """The public functions that give a float for two floats, elementwise."""
    xs, ys = np.array([1.7, 1.8]), np.array([1.6, 1.9])
    modules: tuple[ModuleType, ...] = (tnp, lax, special)
    for module in modules:
        for name in sorted(module.__all__):
            function = getattr(module, name)
            if name in LEFT_OUT or isinstance(function, type) or not takes_two(function):
                continue
            try:
                results = [function(*each) for each in ((xs, ys), (xs[0], ys[0]), (xs[1], ys[1]))]
            except Exception:  # of other operands
                continue
            both, one, two = results
            if getattr(both, "shape", None) != (2,) or tnp.asarray(one).shape != ():
                continue
            if both.dtype.kind == "f" and np.allclose(both, [one, two], rtol=1e-12):
                yield f"{module.__name__}.{name}", function


def takes_two(function: object) -> bool:
    if not callable(function):
        return False
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (4, 2)]
    return len(needed) == 2 and all([p.kind in (0, 1) for p in needed])


@pytest.fixture(scope="module")
def functions() -> dict[str, Binary]:
    with treadle.enable_x64(True):
        return dict(binary_functions())


def found_wrong(f: Callable[[Any], Any]) -> list[str]:
    """Return the faults of the derivative of a function of one number, in words."""
    slopes = np.asarray(treadle.vmap(treadle.grad(f))(POINTS), np.float64)
    steps = np.array([0.0, *STEPS, *(-h for h in STEPS)])[:, None]
    moved = np.asarray(f((POINTS + steps).ravel()), np.float64).reshape(len(steps), len(POINTS))
    values = moved[0]
    with np.errstate(all="ignore"):
        ahead, behind = np.split((moved[1:] - values) / steps[1:], 2)
    undefined = np.all(np.isnan(moved[[0, len(STEPS), -1]]), axis=0).tolist()
    said = []
    for i, x in enumerate(POINTS):
        one, two, slope = ahead[:, i], behind[:, i], slopes[i]
        if undefined[i]:
            if slope == 0:
                said.append(f"at {x}, where it is not defined: {slope}")
        elif settled(one) and settled(two) and np.isclose(one[1], two[1], rtol=1e-3, atol=1e-3):
            expected = (one[1] + two[1]) / 2  # the central difference
            if not np.isclose(slope, expected, rtol=1e-5, atol=1e-5):
                said.append(f"at {x}: {slope}, by differences {expected}")
        elif np.isfinite(values[i]) and grows(one) and not np.isfinite(two).any():
            said += steep(x, slope, one[-1])
    return said


def steep(x: float, slope: float, difference: float) -> list[str]:
    if slope == np.sign(difference) * np.inf:
        return []
    return [f"at {x}, where it is infinitely steep: {slope}"]


def settled(differences: np.ndarray) -> bool:
    """Return whether smaller steps give the same slope."""
    return bool(
        np.isfinite(differences).all()
        and np.isclose(differences[1], differences[0], rtol=2e-2, atol=2e-2)
        and np.isclose(differences[2], differences[1], rtol=1e-3, atol=1e-3)
    )


def grows(differences: np.ndarray) -> bool:
    """Return whether smaller steps give ever greater slopes, which grow at least as a logarithm does."""
    sizes = np.abs(differences)
    return bool(np.isfinite(sizes).all() and sizes[1] > sizes[0] + 1 and sizes[2] > sizes[1] + 1)


def test_derivatives_along_lines(functions: dict[str, Binary]) -> None:
    assert len(functions) > 40
    said = [
        f"{name}, {line}: {each}"
        for name, function in functions.items()
        for line, of in LINES.items()
        for each in found_wrong(of(function))
        if name not in NAN_ACCEPTED or ": nan, by" not in each
    ]
    assert not said, "\n".join(said)


def test_what_was_wrong_is_found() -> None:
    def by_magnitude(x: Any, y: Any) -> Any:
        return tnp.where(tnp.signbit(y), -tnp.abs(x), tnp.abs(x))

    def without_a_limit(x: Any, y: Any) -> Any:
        return tnp.exp(y * tnp.log(tnp.where(x == 0, 1.0, x)))

    def flat_where_undefined(x: Any, y: Any) -> Any:
        return tnp.where(x > 0, x * y, np.nan)

    both = LINES["f(x, x)"]
    assert found_wrong(both(by_magnitude)) == [
        f"at {zero}: 0.0, by differences 1.0" for zero in ("0.0", "-0.0")
    ]
    assert found_wrong(both(without_a_limit))[0].startswith("at 0.0, where it is infinitely steep")
    assert found_wrong(both(flat_where_undefined))[0].startswith("at -1.0, where it is not")
