"""Positions that a mask function leaves, and what r_ and c_ join, are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.numpy import c_, diag_indices, ix_, mask_indices, ogrid, ones, r_, tril, triu


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("k", [-1, 0, 2])
def test_numpys_function_gives_the_same(n: int, k: int) -> None:
    for ours, numpys in ((triu, np.triu), (tril, np.tril)):
        for found, expected in zip(
            mask_indices(n, ours, k), np.mask_indices(n, numpys, k), strict=True
        ):
            np.testing.assert_array_equal(found, expected)


def test_of_known_size() -> None:
    rows, columns = mask_indices(2, triu, size=5)
    np.testing.assert_array_equal(rows, [0, 0, 1, 0, 0])
    np.testing.assert_array_equal(columns, [0, 1, 1, 0, 0])


def test_refused() -> None:
    with pytest.raises(ArgumentError, match="a function"):
        mask_indices(3, 3)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="a matrix"):
        mask_indices(3, lambda x, k: ones(3))


V, M = np.arange(3), np.arange(6).reshape(2, 3)


@pytest.mark.parametrize(
    "key",
    [
        ("0,2", [1, 2], [3, 4]),
        ("-1", M, M),
        ("1", M, M),
        ("0,2,0", V, V),
        ("1,2,0", V, V),
        ("0,2,-1", V, V),
        ("0,2,1", V, V),
        ("1,3,0", V, V),
        ("0,3,2", V, V),
        ("0,3", M, M),
        ("0,2,0", slice(0, 3), 5),
        ("-1,3,-1", V, V),
        (slice(1, 4), [7, 8, 9]),
        (slice(0, 1, 3j), [5.0, 2.0, 1.0]),
    ],
)
def test_what_r_and_c_join(key: tuple[object, ...]) -> None:
    for ours, numpys in ((r_, np.r_), (c_, np.c_)):
        expected = numpys[key]
        np.testing.assert_allclose(ours[key], expected, rtol=1e-6)  # type: ignore[index]  # any key


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("word", ["r", "c"])
@pytest.mark.parametrize("parts", [(V,), (V, V), (M, M)])
def test_rows_and_columns(word: str, parts: tuple[object, ...]) -> None:
    """NumPy makes a matrix of its own kind, treadle an array of two axes."""
    for ours, numpys in ((r_, np.r_), (c_, np.c_)):
        expected = np.asarray(numpys[(word, *parts)])
        np.testing.assert_array_equal(ours[(word, *parts)], expected)  # type: ignore[index]  # any key


@pytest.mark.parametrize("key", [("zz", V), ("0,2,0,1", V), (V, "0"), ("r,2", V)])
def test_directives_that_say_nothing(key: tuple[object, ...]) -> None:
    with pytest.raises(ArgumentError, match="directive"):
        r_[key]  # type: ignore[index]  # any key


def test_open_grids_are_of_vectors() -> None:
    rows, columns = ix_(np.array([0, 2]), [1])
    np.testing.assert_array_equal(np.arange(9).reshape(3, 3)[rows, columns], [[1], [7]])
    for wrong in (2, np.zeros((2, 2), int)):
        with pytest.raises(ShapeError, match="ix_"):
            ix_(wrong)


def test_a_negative_number_of_rows_is_refused() -> None:
    assert diag_indices(0)[0].shape == (0,)
    with pytest.raises(ArgumentError, match="diag_indices: n must be"):
        diag_indices(-1)


def test_vectors_of_an_open_grid_have_one_element_type_as_in_numpy() -> None:
    found, wanted = ogrid[0:3, 1:2:3j], np.ogrid[0:3, 1:2:3j]
    assert [x.dtype.kind for x in found] == [x.dtype.kind for x in wanted] == ["f", "f"]
    assert [x.dtype.kind for x in ogrid[0:3, 1:2]] == ["i", "i"]
