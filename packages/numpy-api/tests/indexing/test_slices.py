"""Ranges with starts that may be traced, against the same ranges in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import ArgumentError
from treadle_ir.calling import as_array
from treadle_ir.errors import IndexingError
from treadle_ir.refs import new_ref
from treadle_ir.tree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from treadle_numpy import ds

X = np.arange(60.0, dtype=np.float32).reshape(4, 5, 3)


@pytest.mark.parametrize("traced", [False, True])
def test_parts(traced: bool, staged: Any) -> None:
    def parts(x: Any, i: Any) -> list[Any]:
        i = i if traced else 1
        return [
            x[ds(i, 2)],
            x[ds(i, 2), 1],
            x[..., ds(i, 2)],
            x[1, ds(i, 2, 2), None],
            x[ds(i, 2), ds(i, 3), ds(2)],
            x[np.array([2, 0]), ds(i, 2)],
            x[X[:, :, 0] > 20, ds(i, 1)],
            x[ds(i, 0)],
        ]

    expected = [
        *(X[1:3], X[1:3, 1], X[..., 1:3], X[1, 1:4:2, None], X[1:3, 1:4, :2]),
        *(X[[2, 0], 1:3], X[X[:, :, 0] > 20, 1:2], X[:0]),
    ]
    for k, wanted in enumerate(expected):
        found = staged(lambda x, i, k=k: parts(x, i)[k], X, np.int32(1))
        np.testing.assert_array_equal(found, wanted)


def test_traced_starts_are_moved_inside(staged: Any) -> None:
    found = staged(lambda x, i: x[ds(i, 3)], X, np.int32(9))
    np.testing.assert_array_equal(found, X[1:])


@pytest.mark.parametrize("start", [np.uint32(4_000_000_000), np.int8(-9), np.uint8(200)])
def test_starts_of_every_type_are_moved_inside(start: Any, staged: Any) -> None:
    first = int(np.clip(start, 0, 1))
    found = staged(lambda x, i: x[ds(i, 3)], X, start)
    np.testing.assert_array_equal(found, X[first : first + 3])
    written = staged(lambda x, i: x.at[ds(i, 3)].set(0.0), X, start)
    np.testing.assert_array_equal(written[first : first + 3], 0)
    np.testing.assert_array_equal(written[(first + 3) % 4], X[(first + 3) % 4])


@pytest.mark.usefixtures("wide")
def test_starts_of_64_bits_are_moved_inside(staged: Any) -> None:
    for start, first in ((2**32 + 1, 1), (-(2**40), 0)):
        found = staged(lambda x, i: x[ds(i, 3)], X, np.int64(start))
        np.testing.assert_array_equal(found, X[first : first + 3])


def test_parts_are_written(staged: Any) -> None:
    changed = X.copy()
    changed[1:3, ::2, 2] = 7
    found = staged(lambda x, i: x.at[ds(i, 2), ::2, 2].set(7.0), X, np.int32(1))
    np.testing.assert_array_equal(found, changed)
    added = X.copy()
    added[1:3, 0] += 2
    found = staged(lambda x, i: x.at[ds(i, 2), np.array([0, 0])].add(1.0), X, np.int32(1))
    np.testing.assert_array_equal(found, added)
    doubled = X.copy()
    doubled[1:3] *= 2

    def relatives(x: Any, i: Any) -> list[Any]:
        at = [x.at[ds(start, 2)] for start in (1, i)]
        return [y for each in at for y in (each.apply(lambda x: x * 2), each.mul(2.0), each.get())]

    for k, wanted in enumerate([doubled, doubled, X[1:3]] * 2):
        found = staged(lambda x, i, k=k: relatives(x, i)[k], X, np.int32(1))
        np.testing.assert_array_equal(found, wanted)


def test_references(staged: Any) -> None:
    def written(x: Any, i: Any) -> Any:
        ref = new_ref(x)
        ref[ds(i, 2)] = np.zeros((2, 5, 3), np.float32)
        return ref[ds(1, 2)]

    found = staged(written, X, np.int32(2))
    np.testing.assert_array_equal(found, np.stack([X[1], 0 * X[0]]))


def test_derivative(staged: Any) -> None:
    slope = staged(lambda x, i: grad(lambda x: (x[ds(i, 2)] ** 2).sum())(x), X, np.int32(1))
    expected = np.zeros_like(X)
    expected[1:3] = 2 * X[1:3]
    np.testing.assert_array_equal(slope, expected)


def test_mistakes(staged: Any) -> None:
    for index, said in (
        (ds(3, 2), "outside of axis 0"),
        (ds(-1, 2), "outside of axis 0"),
        (ds(np.array(0), 5), "does not fit axis 0"),
        ((0, 0, 0, ds(1)), "too many indices"),
    ):
        with pytest.raises(IndexingError, match=said):
            staged(lambda x, index=index: x[index], X)
    for arguments in ((1.5, 2), (0, -1), (0, 1, 0), (np.array([1, 2]), 1), (True, 1)):
        with pytest.raises(ArgumentError, match="ds"):
            ds(*arguments)


def test_trees_hold_starts_that_are_arrays() -> None:
    assert not tree_leaves(ds(2, 3, 2))
    start = np.int32(1)
    (leaf,), structure = tree_flatten(ds(as_array(start), 3))
    assert leaf == 1
    again = tree_unflatten(structure, [np.asarray(2, np.int32)])
    assert (again.start, again.size, again.stride) == (2, 3, 1)
    assert (tree_map(lambda x: x, ds(2, 3)).start) == 2
