"""Functions whose programs, or the elements in these, grow with the sizes of arguments, not with products of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_autodiff import jvp
from treadle_ir import ArgumentError, ArrayType, stage
from treadle_numpy.scipy.linalg import eigh, eigh_tridiagonal


def program_of(function: Callable[..., Any], *arguments: Any) -> Any:
    types = [ArrayType(x.shape, x.dtype) for x in arguments]
    return stage(lambda *xs: [function(*xs)], *types).program


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("count", [0, 1, 16, 17, 40])
@pytest.mark.parametrize("increasing", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "int64", "complex128", "bool"])
def test_powers(count: int, increasing: bool, dtype: str, staged: Callable[..., Any]) -> None:
    x = np.array([0, 1, -1, 2, -3]).astype(dtype)
    wanted = np.vander(x, count, increasing)
    for found in (
        tnp.vander(x, count, increasing),
        staged(lambda v: tnp.vander(v, count, increasing), x),
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-13)


@pytest.mark.usefixtures("wide")
def test_derivatives_of_powers() -> None:
    x, exponents = np.array([0.0, 1.5, -0.5]), np.arange(30)
    _, found = jvp(lambda v: tnp.vander(v, 30, increasing=True), (x,), (np.ones(3),))
    lower = x[:, None] ** np.maximum(exponents - 1, 0)
    np.testing.assert_allclose(found, exponents * lower, rtol=1e-12)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("count", [0, 1, 16, 17, 50])
@pytest.mark.parametrize("unroll", [None, 1, 7])
def test_polynomials(count: int, unroll: int | None, staged: Callable[..., Any]) -> None:
    draw = np.random.default_rng(count)
    p, x = draw.normal(size=count), draw.uniform(-1, 1, (2, 3))
    found = staged(lambda p, x: tnp.polyval(p, x, unroll=unroll), p, x)
    np.testing.assert_allclose(found, np.polyval(p, x), rtol=1e-12, atol=1e-14)
    several = draw.normal(size=(count, 3))
    wanted = [[np.polyval(several[:, j], x[i, j]) for j in range(3)] for i in range(2)]
    found = staged(lambda p, x: tnp.polyval(p, x, unroll=unroll), several, x)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    whole = np.arange(count)
    found = staged(lambda p, x: tnp.polyval(p, x, unroll=unroll), whole, np.array([1, -1]))
    np.testing.assert_array_equal(found, np.polyval(whole, np.array([1, -1])))


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("p", [[], [-0.0], [0.0, 1.0], [-1.0, -0.0], [0.0] * 20])
def test_polynomials_where_they_are_not_finite_and_at_zeros(
    p: list[float], staged: Callable[..., Any]
) -> None:
    x = np.array([np.inf, -np.inf, np.nan, -1.0, 0.0, -0.0])
    with np.errstate(invalid="ignore"):
        wanted = np.polyval(np.array(p), x)
    found = np.asarray(staged(tnp.polyval, np.array(p), x))
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32"])
def test_values_of_polynomials_at_python_numbers_keep_their_type(dtype: str) -> None:
    assert tnp.polyval(np.array([1, 2], dtype), 2).dtype == dtype


@pytest.mark.usefixtures("wide")
def test_derivatives_of_polynomials() -> None:
    p = np.random.default_rng(1).normal(size=40)
    _, found = jvp(lambda x: tnp.polyval(p, x), (np.float64(0.7),), (np.float64(1),))
    np.testing.assert_allclose(found, np.polyval(np.polyder(p), 0.7), rtol=1e-12)


def test_a_number_of_steps_must_be_positive() -> None:
    with pytest.raises(ArgumentError, match="unroll must be 1 or more"):
        tnp.polyval(np.ones(3), 2.0, unroll=0)


@pytest.mark.parametrize(
    "repeats", [[2, 0, 3, 1], [0, 0, 0, 0], [9, 0, 0, 0], [0, 0, 0, 9], [1, 1, 1, 1]]
)
@pytest.mark.parametrize("total", [0, 1, 5, 12])
@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_traced_repeats(
    repeats: list[int], total: int, dtype: str, staged: Callable[..., Any]
) -> None:
    x = np.arange(8).reshape(4, 2)
    full = np.repeat(x, repeats, 0)[:total]
    missing = np.broadcast_to(x[-1:], (total - len(full), 2))  # as JAX fills
    found = staged(
        lambda v, n: tnp.repeat(v, n, 0, total_repeat_length=total), x, np.array(repeats, dtype)
    )
    np.testing.assert_array_equal(found, np.concatenate([full, missing]))


def test_programs_are_small() -> None:
    x = np.ones(3000, np.float32)
    counted = program_of(lambda v, n: tnp.repeat(v, n, total_repeat_length=2000), x, x.astype(int))
    sizes = [value.type.size for each in counted.equations for value in each.results]
    assert max(sizes) <= 3000
    assert len(program_of(tnp.polyval, x, x).equations) < 30
    assert len(program_of(lambda v: tnp.vander(v, 1000), x).equations) < 100


def test_eigenvalues_alone_are_found_without_vectors() -> None:
    d, e = np.arange(4.0, dtype=np.float32), np.ones(3, np.float32)
    for program in (
        program_of(lambda d, e: eigh_tridiagonal(d, e, eigvals_only=True), d, e),
        program_of(lambda a: eigh(a, a, eigvals_only=True), np.eye(3, dtype=np.float32)),
    ):
        (found,) = [each for each in program.equations if type(each.primitive).__name__ == "Eigh"]
        assert len(found.results) == 1
