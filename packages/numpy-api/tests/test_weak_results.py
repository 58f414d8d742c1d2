"""Which results are weak, as of JAX: measured there, of Python's numbers and of arrays of weak types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_ir import ArrayType
from treadle_ir.tracing.staging import stage
from treadle_numpy.scipy import linalg, signal, special
from treadle_numpy.scipy.stats import beta, cauchy, pareto, poisson, t, uniform

F32 = np.dtype(np.float32)
WEAK, STRONG = ArrayType((3,), F32, True), ArrayType((3,), F32)
BOOLS, INTEGERS = ArrayType((2,), np.dtype(np.bool_)), ArrayType((2,), np.dtype(np.int32))


def weak(function: Callable[..., Any], *values: complex | ArrayType) -> bool:
    """Return whether the result is weak; types represent traced arrays."""
    types = [x for x in values if isinstance(x, ArrayType)]

    def of_arrays(*arrays: Any) -> list[Any]:
        rest = iter(arrays)
        return [function(*[next(rest) if isinstance(x, ArrayType) else x for x in values])]

    (result,) = stage(of_arrays, *types).program.result_types
    assert isinstance(result, ArrayType)
    return result.weak


@pytest.mark.parametrize(
    "function", [tnp.sinc, tnp.deg2rad, tnp.rad2deg, tnp.heaviside, tnp.logaddexp2]
)
def test_results_of_numbers_are_weak_and_those_of_weak_arrays_are_not(function: Any) -> None:
    count = 2 if function in (tnp.heaviside, tnp.logaddexp2) else 1
    assert weak(function, *[0.5] * count)
    assert not weak(function, *[WEAK] * count)


@pytest.mark.parametrize("density", [t.logpdf, t.pdf, beta.logpdf, beta.pdf, cauchy.logpdf])
def test_densities_of_numbers_are_weak_and_those_of_weak_arrays_are_not(density: Any) -> None:
    assert weak(density, 0.5, 2.0, 1.5)
    assert not weak(density, WEAK, 2.0, 1.5)


def test_functions_of_one_distribution_can_differ() -> None:
    assert not weak(pareto.cdf, WEAK, 2.0)
    assert weak(pareto.logcdf, WEAK, 2.0)


def test_as_weak_as_what_they_are_made_of() -> None:
    assert weak(signal.detrend, WEAK)
    assert not weak(signal.detrend, STRONG)
    assert weak(special.betaln, WEAK, 2.0)
    assert not weak(special.betaln, STRONG, 2.0)
    assert weak(special.comb, 5, 2)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (WEAK, WEAK, True),
        (WEAK, STRONG, False),
        (STRONG, 2.5, False),
        (2, 2.5, True),
        (BOOLS, 2, True),
        (BOOLS, 1.5, True),
        (BOOLS, True, False),
        (INTEGERS, 1.5, True),
        (INTEGERS, 2, False),
    ],
)
def test_hypot_is_weak_where_its_operands_meet_so(x: Any, y: Any, expected: bool) -> None:
    """As in JAX 0.12; JAX 0.10 forgot it for arrays."""
    assert weak(tnp.hypot, x, y) is expected


def test_log2_is_as_weak_as_its_operand() -> None:
    """As in JAX 0.12, and as `log`; JAX 0.10 forgot it."""
    for x in (2, 1.5, 1 + 2j, WEAK):
        assert weak(tnp.log2, x)
    for x in (True, STRONG, INTEGERS):
        assert not weak(tnp.log2, x)


def test_never_weak() -> None:
    assert not weak(uniform.cdf, 0.5)
    assert not weak(poisson.entropy, 2.5)
    assert not weak(linalg.toeplitz, WEAK)
    assert not weak(linalg.toeplitz, STRONG, 2.0)


def test_positions_are_as_weak_as_the_flat_ones() -> None:
    def first(flat: Any) -> Any:
        return tnp.unravel_index(flat, (2, 3))[0]

    i32 = np.dtype(np.int32)
    assert weak(first, 3)
    assert weak(first, ArrayType((3,), i32, True))
    assert not weak(first, ArrayType((3,), i32))
