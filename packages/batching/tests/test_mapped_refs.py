"""References that are mapped over: each batch element reads and writes its own part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_ir import ArgumentError, ShapeError, ops
from treadle_ir.refs import new_ref


def step(ref: Any, x: Any) -> Any:
    before = ref[...]
    ref[...] = ops.add(before, x)
    return before


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_each_batch_element_has_its_own_part(axis: int) -> None:
    held = np.arange(6.0).reshape(2, 3)
    ref = new_ref(held)
    count = held.shape[axis]
    xs = 10.0 * np.arange(count)
    result = vmap(
        lambda r, x: step(r, ops.broadcast_in_dim(x, shape=r.shape, dimensions=())), (axis, 0), axis
    )(ref, xs)
    np.testing.assert_array_equal(result, held)
    np.testing.assert_array_equal(ref[...], held + (xs if axis else xs[:, None]))


def test_nested() -> None:
    held = np.arange(6.0).reshape(2, 3)
    ref = new_ref(held)
    vmap(vmap(step, (0, None)), (0, 0))(ref, np.array([1.0, 2.0]))
    np.testing.assert_array_equal(ref[...], held + np.array([[1.0], [2.0]]))


def test_in_trees_and_with_arrays() -> None:
    first, second = new_ref(np.zeros(3)), new_ref(np.ones(3))

    def swap(pair: dict[str, Any], x: Any) -> Any:
        a, b = pair["a"][...], pair["b"][...]
        pair["a"][...], pair["b"][...] = b, ops.add(a, x)
        return x

    result = vmap(swap, (0, 0))({"a": first, "b": second}, np.arange(3.0))
    np.testing.assert_array_equal(result, np.arange(3.0))
    np.testing.assert_array_equal(first[...], np.ones(3))
    np.testing.assert_array_equal(second[...], np.arange(3.0))


def test_what_is_refused() -> None:
    ref = new_ref(np.zeros(3))
    with pytest.raises(ArgumentError, match="given twice"):
        vmap(lambda a, b: a[...])(ref, ref)
    with pytest.raises(ArgumentError, match="returns a reference"):
        vmap(lambda a: a)(ref)
    with pytest.raises(ArgumentError, match="closes over"):
        vmap(lambda a: ref[...])(ref)
    with pytest.raises(ShapeError):
        vmap(step)(ref, np.zeros(4))
    np.testing.assert_array_equal(ref[...], np.zeros(3))  # nothing was written, and it is usable
