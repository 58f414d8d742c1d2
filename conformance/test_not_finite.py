"""The law of numbers that are not finite: without jit there is a NaN, or an infinity, where there is one under jit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.hostile.calls import Arguments, Call, calls
from conformance.special_values import Elements
from treadle_runtime.arrays.array import DeviceArray

pytestmark = pytest.mark.installed

TOGETHER: Final = 12  # functions that are compiled in one program
NAMESPACES: Final = ("tnp.", "lax.", "nn.", "operator.")
LEFT_OUT: Final = (
    # Compiled in both cases, as they have loops, or call LAPACK, of which the libraries have different releases.
    *("tnp.linalg.", "lax.linalg.", "tnp.fft.", "lax.fft"),
    # XLA compiles them for seconds; `test_lowering` compares them.
    *(
        "lax.betainc",
        "lax.igamma",
        "lax.polygamma",
        "lax.random_gamma_grad",
        "lax.zeta",
        "lax.bessel",
    ),
    *("tnp.load", "tnp.save"),  # of files
)
NUMBERS: Final = (np.nan, 1.5, np.inf, -0.0, -1.5, -np.inf, 0.0, 0.5)
Changed: TypeAlias = Callable[[Elements], Elements]


def mixed(first: int) -> Changed:
    """Numbers of all kinds in turn."""
    return lambda x: np.resize(np.roll(np.array(NUMBERS, x.dtype), -first), x.shape)


def with_one(number: float) -> Changed:
    """One number in the midst of ordinary ones."""

    def change(x: Elements) -> Elements:
        found = x.copy()
        found[tuple([size // 2 for size in x.shape])] = number
        return found

    return change


VARIANTS: Final[dict[str, Changed]] = {
    "mixed": mixed(0),
    "mixed again": mixed(3),
    "NaN": with_one(np.nan),
    "infinity": with_one(np.inf),
    "minus infinity": with_one(-np.inf),
}


@pytest.fixture(autouse=True)
def programs() -> None:
    """Not checked here: `test_composed` makes the same ones."""


@pytest.fixture(autouse=True)
def checked_rules() -> None:
    """No rules of transformations run here."""


def floats_of(x: Any) -> Iterator[DeviceArray]:
    """The arrays of floats or complex numbers among arguments."""
    if isinstance(x, list | tuple):
        for each in x:
            yield from floats_of(each)
    elif isinstance(x, dict):
        yield from floats_of([*x.values()])
    elif type(x) is DeviceArray and x.dtype.kind in "fc":
        yield x


def replaced(x: Any, following: Iterator[Any]) -> Any:
    """Arguments with others in the place of these arrays."""
    if type(x) in (list, tuple):
        return type(x)([replaced(each, following) for each in x])
    if isinstance(x, dict):
        return {name: replaced(each, following) for name, each in x.items()}
    return next(following) if type(x) is DeviceArray and x.dtype.kind in "fc" else x


def results(call: Call, arguments: Arguments, arrays: list[Any]) -> list[Any]:
    """The arrays of floats or complex numbers that a function gives."""
    positional, named = replaced(list(arguments), iter(arrays))
    leaves = treadle.tree.leaves(call.function(*positional, **named))
    return [x for x in leaves if isinstance(x, treadle.Array) and x.dtype.kind in "fc"]


def kinds(x: Any) -> Elements:
    """For each number 0 if it is finite, and otherwise which of those that are not it is; of complex ones twice."""
    elements = np.asarray(x)
    parts = np.stack([elements.real, elements.imag]) if elements.dtype.kind == "c" else elements
    return np.where(np.isnan(parts), 2, np.isinf(parts) * np.sign(parts))


SUITABLE: Final = [
    (call, call.arguments())
    for call in calls()
    if call.name.startswith(NAMESPACES) and not call.name.startswith(LEFT_OUT)
]
GROUPS: Final = [SUITABLE[i : i + TOGETHER] for i in range(0, len(SUITABLE), TOGETHER)]


@pytest.mark.parametrize("number", range(len(GROUPS)))
def test_what_is_not_finite_is_the_same_under_jit(number: int) -> None:
    group = [pair for pair in GROUPS[number] if [*floats_of(list(pair[1]))]]
    given = [[*floats_of(list(arguments))] for _, arguments in group]
    traced = [False] * len(group)

    def together(arrays: list[list[Any]]) -> list[list[Any]]:
        found = []
        for place, (call, arguments) in enumerate(group):
            try:
                found.append(results(call, arguments, arrays[place]))
                traced[place] = True
            except Exception:  # it needs elements, or has no meaning under jit: not asked here
                found.append([])
        return found

    compiled = treadle.jit(together)
    for variant, change in VARIANTS.items():
        changed = [
            [DeviceArray(x.placed, change(np.asarray(x))) for x in arrays] for arrays in given
        ]
        whole = compiled(changed)
        for place, (call, arguments) in enumerate(group):
            if not traced[place]:
                continue
            alone = results(call, arguments, changed[place])
            for one, other in zip(alone, whole[place], strict=True):
                np.testing.assert_array_equal(
                    kinds(one), kinds(other), err_msg=f"{call.name}, {variant}"
                )


def test_most_functions_are_asked() -> None:
    """The law runs on most functions."""
    assert len(SUITABLE) > 500


QUOTIENTS: Final[dict[str, Callable[[Any], Any]]] = {
    "divide": lambda p: p / 0.0,
    "floor_divide": lambda p: p // tnp.log1p(0),
    "divmod": lambda p: tnp.divmod(p, tnp.log1p(p ^ p))[0],
    "remainder": lambda p: p % tnp.log1p(0),
    "converted": lambda p: p.astype(np.float32) * np.inf,
    "of a converted one": lambda p: p.astype(np.float32) / tnp.zeros(2),
    "complex": lambda p: p.astype(np.complex64) * np.nan,
}


@pytest.mark.parametrize("function", QUOTIENTS.values(), ids=QUOTIENTS)
def test_converted_booleans_are_numbers(function: Callable[[Any], Any]) -> None:
    """XLA would treat a boolean factor, or one divided by a constant, as a selection: 0 / 0 was 0."""
    p = tnp.array([True, False])
    found = treadle.jit(function)(p)
    np.testing.assert_array_equal(kinds(found), kinds(function(p)))


def test_false_by_zero_is_nan() -> None:
    """As NumPy says."""
    p = np.array([True, False])
    with np.errstate(all="ignore"):
        expected = p // np.log1p(np.float32(0))
    for function in (QUOTIENTS["floor_divide"], treadle.jit(QUOTIENTS["floor_divide"])):
        np.testing.assert_array_equal(function(tnp.array(p)), expected)


# Of numbers that XLA knows not to be negative: it takes `x >= 0`, by which these choose, to be true of NaN, too.
CHOOSING: Final[dict[str, tuple[Callable[..., Any], int]]] = {
    "abs(x) >= 0": (lambda x: tnp.where(abs(x) >= 0, 0.0, np.inf), 1),
    "0 <= x * x": (lambda x: tnp.where(x * x >= 0, 0.0, np.inf), 1),
    "lax.igamma": (lambda a, x: treadle.lax.igamma(a * a, x * x), 2),
    "lax.igammac": (lambda a, x: treadle.lax.igammac(a * a, x * x), 2),
    "scipy.special.rel_entr": (lambda p, q: treadle.scipy.special.rel_entr(p * p, q * q), 2),
    "scipy.special.sici": (lambda x: treadle.scipy.special.sici(x)[1], 1),
    "scipy.special.spence": (lambda x: treadle.scipy.special.spence(abs(x)), 1),
    "scipy.stats.gamma.cdf": (lambda x, a: treadle.scipy.stats.gamma.cdf(x * x, a * a), 2),
}


@pytest.mark.parametrize(("function", "count"), CHOOSING.values(), ids=CHOOSING)
def test_nan_is_not_at_least_zero_under_jit(function: Callable[..., Any], count: int) -> None:
    with treadle.enable_x64(True):
        given = np.meshgrid(*[np.array([np.nan, 0.25, 0.0, np.inf])] * count)
        xs = [tnp.array(x.ravel()) for x in given]
        np.testing.assert_array_equal(kinds(treadle.jit(function)(*xs)), kinds(function(*xs)))


# Functions that NumPy has, too, by how many arguments they have.
UFUNCS: Final = {
    1: """absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh deg2rad degrees exp exp2 expm1 fabs
        floor isfinite isinf isnan log log10 log1p log2 logical_not negative positive rad2deg radians reciprocal rint
        sign signbit sin sinh spacing sqrt square tan tanh trunc""",
    2: """add arctan2 copysign divide equal float_power floor_divide fmax fmin fmod greater greater_equal heaviside
        hypot less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum multiply
        nextafter not_equal power remainder subtract""",
}


@pytest.mark.parametrize("count", UFUNCS)
def test_functions_of_all_special_numbers_are_numpys(count: int) -> None:
    """Of all pairs, without jit and with it: the same NaN and infinities."""
    given = np.meshgrid(*[np.array([*NUMBERS, 1.0, -1.0, 2.0], np.float32)] * count)
    xs = [x.ravel() for x in given]
    names = UFUNCS[count].split()
    arrays = [tnp.array(x) for x in xs]
    whole = treadle.jit(lambda *xs: [getattr(tnp, name)(*xs) for name in names])(*arrays)
    for name, compiled in zip(names, whole, strict=True):
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(*xs)
        for found in (getattr(tnp, name)(*arrays), compiled):
            np.testing.assert_allclose(
                np.asarray(found, np.float32), expected, rtol=1e-5, atol=1e-6, err_msg=name
            )
