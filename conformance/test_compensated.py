"""Compensated arithmetic survives jit: what is rounded away and caught again is what it is eagerly.

Kahan's, Neumaier's and pairwise sums, TwoSum, FastTwoSum, Dekker's splitting and product, and compensated bf16 weights
use identities that hold for numbers and not for floats. A compiler that simplified them would undo them. The truth is
NumPy's float32, operation by operation in the same order; compiled results are equal to the bit. So are numbers that
are rounded by adding and subtracting a great one, fake quantisation, and the same on infinities and nan. What the
identities promise is looked at in exact fractions.

The named simplification `(x + y) - x` to `y` is off: it fires where it is asked for, if the sum has no other use and
nothing is constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle_compiler import jaxlib
from treadle_ir import evaluating
from treadle_ir.rewrite import SIMPLIFY
from treadle_runtime import RuntimeEvaluator

F: Final = np.float32
SPLITTER: Final = F(4097)  # 2**12 + 1: halves of 12 bits
GREAT: Final = F(1.5 * 2.0**23)  # its last place is 1
SIZE: Final = 6
RATE: Final = F(2.0**-7)  # its products are exact, so that fused multiplications round no less
NUMBERS: Final = st.floats(-(2.0**40), 2.0**40, width=32, allow_subnormal=False).map(
    lambda x: x if abs(x) > 2.0**-40 else 0.0  # no product is subnormal, which processors may flush
)
VECTORS: Final = arrays(F, SIZE, elements=NUMBERS)


@pytest.fixture(autouse=True)
def on_the_runtime(on_the_reference_evaluator: None) -> Iterator[None]:
    """These programs are a user's: they run as the facade runs them."""
    with evaluating(RuntimeEvaluator()), treadle.enable_x64(False):
        yield


# --- two numbers: x and y are of one shape ------------------------------------------------------------


def two_sum(x: Any, y: Any) -> Any:
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def fast_two_sum(x: Any, y: Any) -> Any:
    total = x + y
    return total, y - (total - x)


def split(x: Any, _: Any) -> Any:
    scaled = x * SPLITTER
    high = scaled - (scaled - x)
    return high, x - high


def two_product(x: Any, y: Any) -> Any:
    product = x * y
    (a, b), (c, d) = split(x, x), split(y, y)
    return product, ((a * c - product) + a * d + b * c) + b * d


def kahan_step(x: Any, y: Any) -> Any:
    """One step of Kahan's sum, whose compensation is `y`'s own last bits."""
    compensation = y * F(2.0**-24)
    corrected = y - compensation
    total = x + corrected
    return total, (total - x) - corrected


def lost(x: Any, y: Any) -> Any:
    """Return the rounding errors of a sum that has no other use."""
    return y - ((x + y) - x), x - ((x + y) - y)


def rounded_by(x: Any, y: Any) -> Any:
    """Each number is rounded to a multiple of the other's last place."""
    return (x + y) - y, (x - y) + y


def fake_quantised(x: Any, y: Any) -> Any:
    """Rounded to whole numbers by a great one, which is an argument here."""
    great = y * F(0) + GREAT
    return (x + great) - great, great - (great - x)


def double_sum(x: Any, y: Any) -> Any:
    """The sum of two double-float numbers (T. Dekker, Numerische Mathematik 18, 1971)."""
    (a, b), (c, d) = (x, y * F(2.0**-30)), (y, x * F(2.0**-30))
    total, error = two_sum(a, c)
    return fast_two_sum(total, error + (b + d))


PAIRS: Final = (
    *(two_sum, fast_two_sum, split, two_product, kahan_step),
    *(lost, rounded_by, fake_quantised, double_sum),
)


# --- sums of vectors, elements taken one by one ---------------------------------------------------------


def kahan(xs: Any) -> Any:
    total, compensation = xs[0], xs[0] * F(0)
    for i in range(1, SIZE):
        corrected = xs[i] - compensation
        following = total + corrected
        compensation = (following - total) - corrected
        total = following
    return total, compensation


def neumaier(xs: Any, where: Any) -> Any:
    total, compensation = xs[0], xs[0] * F(0)
    for i in range(1, SIZE):
        following = total + xs[i]
        larger = abs(total) >= abs(xs[i])
        kept = where(larger, (total - following) + xs[i], (xs[i] - following) + total)
        compensation = compensation + kept
        total = following
    return total + compensation, compensation


def pairwise(xs: Any) -> Any:
    parts = [(xs[i], xs[i] * F(0)) for i in range(SIZE)]
    while len(parts) > 1:
        joined = []
        for (a, e), (b, f) in zip(parts[::2], parts[1::2], strict=False):
            total, error = two_sum(a, b)
            joined.append((total, error + (e + f)))
        parts = joined + parts[len(joined) * 2 :]
    return parts[0]


SUMS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "kahan": lambda xs, where: kahan(xs),
    "neumaier": neumaier,
    "pairwise": lambda xs, where: pairwise(xs),
}


# --- the same as loops ---------------------------------------------------------------------------------


def kahan_by_scan(xs: Any) -> Any:
    def body(carry: Any, x: Any) -> Any:
        total, compensation = carry
        corrected = x - compensation
        following = total + corrected
        return (following, (following - total) - corrected), None

    return lax.scan(body, (xs[0], xs[0] * F(0)), xs[1:])[0]


def kahan_by_while(xs: Any) -> Any:
    def body(carry: Any) -> Any:
        i, total, compensation = carry
        corrected = xs[i] - compensation
        following = total + corrected
        return i + 1, following, (following - total) - corrected

    return lax.while_loop(lambda c: c[0] < SIZE, body, (1, xs[0], xs[0] * F(0)))[1:]


def kahan_by_fori(xs: Any) -> Any:
    def body(i: Any, carry: Any) -> Any:
        total, error = two_sum(carry[0], xs[i])
        return total, carry[1] + error

    return lax.fori_loop(1, SIZE, body, (xs[0], xs[0] * F(0)))


LOOPS: Final = {kahan_by_scan: kahan, kahan_by_while: kahan}


def same_bits(one: Any, other: Any) -> None:
    for a, b in zip(treadle.tree.leaves(one), treadle.tree.leaves(other), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype
        unsigned = f"u{a.dtype.itemsize}"
        # Zeros are equal whatever their signs: the sign of an error that is zero depends on nothing that matters.
        np.testing.assert_array_equal((a + 0).view(unsigned), (b + 0).view(unsigned))


def quiet(f: Any, *xs: Any) -> Any:
    with np.errstate(all="ignore"):
        return f(*xs)


COMPILED: Final = {f: treadle.jit(f) for f in PAIRS}
BATCHED: Final = {f: treadle.jit(treadle.vmap(f)) for f in PAIRS}
REPEATED: Final = {
    f: treadle.jit(lambda x, y, f=f: lax.scan(lambda c, e: (c, f(*e)), 0, (x, y))[1]) for f in PAIRS
}
BY_WHILE: Final = {
    f: treadle.jit(
        lambda x, y, f=f: lax.while_loop(
            lambda c: c[0] < 1, lambda c: (c[0] + 1, f(x, y)), (0, (x, y))
        )[1]
    )
    for f in PAIRS
}


@pytest.mark.parametrize("f", PAIRS, ids=lambda f: f.__name__)
@given(x=VECTORS, y=VECTORS)
def test_pairs(f: Any, x: Any, y: Any) -> None:
    expected = quiet(f, x, y)
    same_bits(f(tnp.asarray(x), tnp.asarray(y)), expected)
    for compiled in (COMPILED, BATCHED, REPEATED, BY_WHILE):
        same_bits(compiled[f](x, y), expected)


@given(x=VECTORS, y=VECTORS)
def test_the_parts_are_exact(x: Any, y: Any) -> None:
    """The identities hold exactly in float64: nothing is lost."""
    high, low = map(np.float64, COMPILED[split](x, y))
    np.testing.assert_array_equal(high + low, np.float64(x))
    # The error of a product below 2 ** -78 is subnormal, and such numbers are zero to XLA.
    x, y = (np.where(np.abs(v) < 2.0**-19, F(0), v * F(2.0**-20)) for v in (x, y))
    product, error = map(np.float64, COMPILED[two_product](x, y))
    np.testing.assert_array_equal(product + error, np.float64(x) * np.float64(y))


@given(x=VECTORS, y=VECTORS)
def test_sums_and_their_errors_are_exact(x: Any, y: Any) -> None:
    """In fractions: a sum and its error are the sum of the numbers, and rounding rounds."""
    total, error = map(np.asarray, COMPILED[two_sum](x, y))
    for a, b, c, d in zip(x, y, total, error, strict=True):
        assert Fraction(float(a)) + Fraction(float(b)) == Fraction(float(c)) + Fraction(float(d))
    small = np.clip(x, -(2.0**21), 2.0**21)
    for whole in COMPILED[fake_quantised](small, y):
        np.testing.assert_array_equal(whole, np.rint(small))


@pytest.mark.parametrize("f", PAIRS, ids=lambda f: f.__name__)
def test_pairs_of_infinities_and_nan(f: Any) -> None:
    ends = np.array([np.inf, -np.inf, np.nan, 0.0, 1.5, -3e38], F)
    x, y = (each.ravel() for each in np.meshgrid(ends, ends))
    expected = quiet(f, x, y)
    for call in (f, treadle.jit(f), treadle.jit(treadle.vmap(f))):
        for found, each in zip(
            treadle.tree.leaves(call(tnp.asarray(x), tnp.asarray(y))),
            treadle.tree.leaves(expected),
            strict=True,
        ):
            np.testing.assert_array_equal(np.asarray(found), each)


SUM: Final = {name: treadle.jit(lambda xs, f=f: f(xs, tnp.where)) for name, f in SUMS.items()}
SUM_OF_ROWS: Final = {
    name: treadle.jit(treadle.vmap(lambda xs, f=f: f(xs, tnp.where))) for name, f in SUMS.items()
}


@pytest.mark.parametrize("name", SUMS)
@given(xs=VECTORS)
def test_sums(name: str, xs: Any) -> None:
    expected = quiet(SUMS[name], xs, np.where)
    same_bits(SUM[name](xs), [F(each) for each in expected])
    rows = np.stack([xs, xs[::-1]])
    other = quiet(SUMS[name], xs[::-1], np.where)
    same_bits(
        SUM_OF_ROWS[name](rows), [np.array(both, F) for both in zip(expected, other, strict=True)]
    )


COMPILED_LOOPS: Final = {f: treadle.jit(f) for f in LOOPS}
BATCHED_LOOPS: Final = {f: treadle.jit(treadle.vmap(f)) for f in LOOPS}


@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
@given(xs=VECTORS)
def test_loops(f: Any, xs: Any) -> None:
    expected = quiet(LOOPS[f], xs)
    same_bits(COMPILED_LOOPS[f](xs), expected)
    same_bits(f(tnp.asarray(xs)), expected)
    same_bits([each[0] for each in BATCHED_LOOPS[f](np.stack([xs, xs]))], expected)


# --- an optimizer whose bf16 weights carry what was rounded away -------------------------------------------


def optimizer_step(weights: Any, rest: Any, gradients: Any) -> Any:
    """Weights in bf16 with a bf16 compensation: the update is made in f32, what bf16 cannot hold is kept."""
    wanted = weights.astype(F) + (rest.astype(F) - gradients * RATE)
    stored = wanted.astype(ml_dtypes.bfloat16)
    return stored, (wanted - stored.astype(F)).astype(ml_dtypes.bfloat16)


def kahan_in_bf16(weights: Any, rest: Any, update: Any) -> Any:
    """Kahan's step in bf16 itself."""
    corrected = update - rest
    following = weights + corrected
    return following, (following - weights) - corrected


_STEP: Final = treadle.jit(optimizer_step)
_KAHAN: Final = treadle.jit(kahan_in_bf16)
_TRAINED: Final = treadle.jit(
    lambda w, r, gs: lax.scan(lambda c, g: (optimizer_step(c[0], c[1], g), None), (w, r), gs)[0]
)
_SMALL: Final = arrays(F, SIZE, elements=st.floats(-4, 4, width=32, allow_subnormal=False))


@given(w=_SMALL, r=_SMALL, g=_SMALL)
def test_compensated_weights(w: Any, r: Any, g: Any) -> None:
    w, r = w.astype(ml_dtypes.bfloat16), (r * F(2.0**-9)).astype(ml_dtypes.bfloat16)
    same_bits(_STEP(w, r, g), optimizer_step(w, r, g))
    same_bits(_KAHAN(w, r, g.astype(ml_dtypes.bfloat16)), kahan_in_bf16(w, r, g.astype(w.dtype)))
    expected: Any = (w, r)
    for _ in range(4):
        expected = optimizer_step(expected[0], expected[1], g)
    same_bits(_TRAINED(w, r, np.stack([g] * 4)), expected)


def test_small_updates_are_not_lost() -> None:
    """The purpose of compensation: a thousand updates, each too small to change a bf16 weight, add up."""
    w = np.ones(3, ml_dtypes.bfloat16)
    gradients = np.full((1000, 3), -0.0256, F)
    weights, _ = _TRAINED(w, w * 0, gradients)
    np.testing.assert_allclose(np.asarray(weights, F), 1.2, rtol=0.01)
    plain, _ = lax.scan(lambda c, g: ((c - g * RATE).astype(w.dtype), None), w, gradients)
    np.testing.assert_array_equal(np.asarray(plain, F), 1)


@pytest.mark.parametrize("size", [40, 3000])
def test_sizes_that_are_compiled_otherwise(size: int) -> None:
    """Vectorised code multiplies and adds in one instruction: no identity here depends on the rounding of a product."""
    rng = np.random.default_rng(size)
    x, y, g = ((rng.normal(size=size) * 10 ** rng.uniform(-3, 3, size)).astype(F) for _ in range(3))
    for f in PAIRS:
        same_bits(treadle.jit(f)(x, y), f(x, y))
        same_bits(treadle.jit(treadle.vmap(treadle.vmap(f)))(x[None], y[None]), f(x[None], y[None]))
    w, r, narrow = (z.astype(ml_dtypes.bfloat16) for z in (x, y * F(2.0**-9), g))
    same_bits(_STEP(w, r, g), optimizer_step(w, r, g))
    same_bits(_KAHAN(w, r, narrow), kahan_in_bf16(w, r, narrow))


@pytest.mark.parametrize("size", [6, 40, 3000])
def test_narrow_sums_are_rounded_where_wide_ones_use_them(size: int) -> None:
    rng = np.random.default_rng(size)

    def f(x: Any, y: Any) -> Any:
        total = x + y
        return ((total - x) - y).astype(F) + total.astype(F)

    for dtype in (ml_dtypes.bfloat16, np.float16):
        x, y = (rng.normal(size=size).astype(dtype) for _ in range(2))
        same_bits(treadle.jit(f)(x, y), f(x, y))


# --- the simplification, where it is asked for --------------------------------------------------------------


@given(x=VECTORS, y=VECTORS)
def test_a_sum_without_other_use_cancels_where_that_is_asked_for(x: Any, y: Any) -> None:
    for f in (lambda x, y: (x + y) - x, lambda x, y: (y + x) - x):
        compiled = treadle.jit(f)
        for names in ("all", "cancel_add_sub"):
            with SIMPLIFY.override(names):
                same_bits(compiled(x, y), y)
        same_bits(compiled(x, y), f(x, y))


# --- what XLA rewrites, and what prevents it: docs/simplifications.md ---------------------------------------

ROUNDED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "(x + C) - C": lambda x, c: (x + c) - c,
    "(C + x) - C": lambda x, c: (c + x) - c,
    "(x - C) + C": lambda x, c: (x - c) + c,
    "(x + (-C)) + C": lambda x, c: (x + (-c)) + c,
    "broadcast": lambda x, c: (x + tnp.full_like(x, c)) - c,
    "in a call": lambda x, c: treadle.jit(lambda x: (x + c) - c)(x),
    "in a loop": lambda x, c: lax.fori_loop(0, 3, lambda _, x: (x + c) - c, x),
}
REWRITTEN: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "(x * C) * C": lambda x, c: (x * c) * c,
    "(x + C) + C": lambda x, c: (x + c) + c,
}
_MANY: Final = np.random.default_rng(0).normal(size=500).astype(F)
_C: Final = F(3)


def differs(one: Any, other: Any) -> bool:
    return bool((np.asarray(one) != np.asarray(other)).any())


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.parametrize("c", [F(3), F(12582912), F(1e30)], ids=str)
def test_a_constant_that_is_taken_away_again_rounds(name: str, c: Any) -> None:
    f = ROUNDED[name]
    # In NumPy; what is written with functions of treadle's adds first.
    expected = f(_MANY, c) if name.startswith("(") else (_MANY + c) - c
    same_bits(treadle.jit(lambda x: f(x, c))(_MANY), expected)
    compiled = treadle.jit(treadle.vmap(lambda x: f(x, c)))
    same_bits(compiled(_MANY.reshape(5, 100)), expected.reshape(5, 100))


@pytest.mark.parametrize("name", REWRITTEN)
def test_constants_are_rewritten_unless_prevented(name: str) -> None:
    f = REWRITTEN[name]
    expected = f(_MANY, _C)
    same_bits(f(tnp.asarray(_MANY), _C), expected)
    rewritten = differs(treadle.jit(lambda x: f(x, _C))(_MANY), expected)
    assert rewritten == (jaxlib().release < "0.12")  # what the page says
    captured = tnp.asarray(_C)
    same_bits(treadle.jit(lambda x: f(x, captured))(_MANY), expected)
    same_bits(treadle.jit(lambda x: f(x, lax.optimization_barrier(_C)))(_MANY), expected)
    same_bits(treadle.jit(f)(_MANY, _C), expected)
    with SIMPLIFY.override(False):
        same_bits(treadle.jit(lambda x: f(x, _C) + 0 * x)(_MANY), expected + 0 * _MANY)
        same_bits(treadle.jit(lambda x, c: f(x, c))(_MANY, _C), expected)


def test_divisions_by_constants_are_divisions_without_rewrites() -> None:
    def f(x: Any) -> Any:
        return x / _C

    with SIMPLIFY.override(False):
        same_bits(treadle.jit(f)(_MANY), _MANY / _C)


def test_a_barrier_around_the_sum_keeps_its_rounding() -> None:
    def f(x: Any, y: Any) -> Any:
        return lax.optimization_barrier(x + y) - x

    x, y = _MANY * 1000, _MANY[::-1]
    with SIMPLIFY.override("all"):
        same_bits(treadle.jit(f)(x, y), (x + y) - x)


def test_products_are_fused_unless_prevented() -> None:
    def f(x: Any, y: Any, z: Any) -> Any:
        return x * y + z

    x, y, z = np.random.default_rng(0).normal(size=(3, 3000)).astype(F)
    unfused = treadle.jit(f, compiler_options={"xla_backend_optimization_level": 0})
    same_bits(unfused(x, y, z), x * y + z)
    np.testing.assert_allclose(treadle.jit(f)(x, y, z), x * y + z, rtol=1e-4, atol=1e-6)
