"""Membership and sets of known size agree with NumPy, for few elements, compared in pairs, and for many, searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_numpy import numpy as tnp
from treadle_numpy.numpy import compress, extract
from treadle_numpy.numpy.sets import intersect1d, isin, setdiff1d, setxor1d, union1d, unique

RANDOM = np.random.default_rng(5)
SIZES = [(7, 5), (90, 200), (50, 0), (0, 50)]


def drawn(size: int) -> Any:
    return RANDOM.integers(0, 60, size).astype(np.int32)


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_isin(staged: Callable[..., Any], n: int, m: int) -> None:
    x, others = drawn(n), drawn(m)
    np.testing.assert_array_equal(staged(isin, x, others), np.isin(x, others))
    np.testing.assert_array_equal(
        staged(lambda a, b: isin(a, b, invert=True), x, others), np.isin(x, others, invert=True)
    )


def test_isin_of_nan_and_zeros(staged: Callable[..., Any]) -> None:
    x = np.array([[np.nan, 0.0], [-0.0, 300.0]], np.float32)
    for others in (
        np.array([-0.0, np.nan], np.float32),
        np.array([np.nan, *range(200)], np.float32),
    ):
        np.testing.assert_array_equal(staged(isin, x, others), np.isin(x, others))


@pytest.mark.parametrize(("n", "m"), SIZES[:2])
@pytest.mark.parametrize(
    ("ours", "numpys"), [(setdiff1d, np.setdiff1d), (intersect1d, np.intersect1d)]
)
def test_sets_of_known_size(
    staged: Callable[..., Any], ours: Any, numpys: Any, n: int, m: int
) -> None:
    x, y = drawn(n), drawn(m)
    expected = numpys(x, y)
    found = staged(lambda a, b: ours(a, b, size=70, fill_value=-1), x, y)
    np.testing.assert_array_equal(found[: expected.size], expected)
    assert (found[expected.size :] == -1).all()


@pytest.mark.parametrize(("n", "m"), [(7, 5), (0, 3), (90, 40), (0, 0)])
@pytest.mark.parametrize("assume_unique", [False, True])
def test_setxor1d(staged: Callable[..., Any], n: int, m: int, assume_unique: bool) -> None:
    x, y = drawn(n), drawn(m)
    if assume_unique:
        x, y = np.unique(x), np.unique(y)
    expected = np.setxor1d(x, y)
    np.testing.assert_array_equal(setxor1d(x, y, assume_unique), expected)
    found = staged(lambda a, b: setxor1d(a, b, assume_unique, size=70, fill_value=-1), x, y)
    np.testing.assert_array_equal(found[: expected.size], expected)
    assert (found[expected.size :] == -1).all()
    least = staged(lambda a, b: setxor1d(a, b, assume_unique, size=70), x, y)
    assert (least[expected.size :] == (expected[0] if expected.size else 0)).all()


FILLED: dict[str, Callable[..., Any]] = {
    "setdiff1d": lambda x, y, fill: setdiff1d(x, y, size=4, fill_value=fill),
    "intersect1d": lambda x, y, fill: intersect1d(x, y, size=4, fill_value=fill),
    "compress": lambda x, y, fill: compress(x > 2, np.stack([x, x]), 1, size=3, fill_value=fill),
    "extract": lambda x, y, fill: extract(x > 2, x, size=3, fill_value=fill),
    "nothing": lambda x, y, fill: setdiff1d(x[:0], y, size=2, fill_value=fill),
}


@pytest.mark.parametrize("name", FILLED)
def test_what_fills_places_may_be_traced(staged: Callable[..., Any], name: str) -> None:
    x, y, fill = np.array([1, 2, 3, 4]), np.array([3, 4, 5]), np.int32(-7)
    known = np.asarray(FILLED[name](x, y, -7))
    assert -7 in known
    np.testing.assert_array_equal(staged(lambda fill: FILLED[name](x, y, fill), fill), known)


@pytest.mark.parametrize("name", ["intersect1d", "setdiff1d", "setxor1d", "union1d"])
@pytest.mark.parametrize("place", [0, 1])
def test_lists_are_refused_in_the_name_of_the_function(name: str, place: int) -> None:
    operands: list[Any] = [drawn(3), drawn(3)]
    operands[place] = [1, 2]
    with pytest.raises(TypeError, match=f"^{name} requires .* at position {place}"):
        getattr(tnp, name)(*operands)


@pytest.mark.parametrize(
    ("name", "operands"),
    [
        ("ediff1d", ([1, 2],)),
        ("extract", ([True], [1])),
        ("flatnonzero", ([1],)),
        ("histogram", ([1, 2],)),
        ("resize", ([1], 3)),
    ],
)
def test_so_do_functions_that_take_elements_in_a_row(name: str, operands: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match=f"^{name} requires .* at position 0"):
        getattr(tnp, name)(*operands)


def test_of_nothing_and_of_rows_of_nothing() -> None:
    for shape, axis in (((0,), None), ((0, 3), 0), ((2, 0), 1)):
        found = unique(np.zeros(shape), True, True, True, axis, size=2, fill_value=7)
        values, indices, inverse, counts = map(np.asarray, found)
        assert values.shape == tuple(2 if i == (axis or 0) else n for i, n in enumerate(shape))
        assert (values == 7).all()
        assert indices.tolist() == counts.tolist() == [0, 0]
        assert inverse.size == 0
    np.testing.assert_array_equal(union1d(np.zeros(0), np.zeros(0), size=2, fill_value=7), [7, 7])
    values, indices, inverse, counts = map(
        np.asarray, unique(np.zeros((3, 0)), True, True, True, 0, size=1)
    )
    wanted = np.unique(np.zeros((3, 0)), True, True, True, 0)
    for one, other in zip((values, indices, inverse, counts), wanted, strict=True):
        np.testing.assert_array_equal(one, np.reshape(other, one.shape))
