from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_ir import ops

X = np.arange(2 * 3 * 2 * 12, dtype=np.float32).reshape(2, 3, 2, 12)
NAMES = ("i", "j", "k")


def nought(x: Any) -> Any:
    """A zero that each batch element has of its own."""
    return ops.multiply(ops.reduce_add(x, axes=(0,)), np.float32(0))


def found(function: Any, x: Any = X) -> Any:
    for name in reversed(NAMES):
        function = vmap(function, axis_name=name)
    return np.asarray(function(x))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_batch_elements_are_numbered_with_the_last_name_fastest(order: tuple[int, ...]) -> None:
    names = tuple([NAMES[axis] for axis in order])
    rows = X.transpose(*order, 3).reshape(12, 12)  # each batch element's, by number

    def spread(rows: Any) -> Any:
        """Return the values of the batch elements in their places."""
        sizes = [X.shape[axis] for axis in order]
        return rows.reshape(*sizes, *rows.shape[1:]).transpose(
            *np.argsort(order), *range(3, rows.ndim + 2)
        )

    laws: dict[str, tuple[Any, Any]] = {
        "index": (
            lambda x: ops.add(ops.convert(ops.axis_index(names), dtype=X.dtype), nought(x)),
            np.arange(12.0),
        ),
        "gather": (lambda x: ops.all_gather(x, axis_name=names), np.stack([rows] * 12)),
        "scatter": (lambda x: ops.reduce_scatter(x, axis_name=names), rows.sum(0)[:, None]),
        "exchange": (lambda x: ops.all_to_all(x, axis_name=names, split=0, concat=0), rows.T),
        "permute": (
            lambda x: ops.permute(x, axis_name=names, pairs=((0, 7), (11, 0))),
            np.stack([rows[{7: 0, 0: 11}[i]] if i in (0, 7) else 0 * rows[i] for i in range(12)]),
        ),
    }
    for name, (function, expected) in laws.items():
        np.testing.assert_array_equal(found(function), spread(expected), name)


def test_what_is_the_same_for_all_is_gathered_and_scattered_too() -> None:
    same = np.arange(12, dtype=np.float32)

    def own(x: Any, shape: tuple[int, ...]) -> Any:
        return ops.broadcast_in_dim(nought(x), shape=shape, dimensions=())

    gathered = found(lambda x: ops.add(ops.all_gather(same, axis_name=NAMES), own(x, (12, 12))))
    np.testing.assert_array_equal(gathered[1, 2, 0], np.stack([same] * 12))
    scattered = found(lambda x: ops.add(ops.reduce_scatter(same, axis_name=NAMES), own(x, (1,))))
    np.testing.assert_array_equal(scattered.reshape(12), 12 * same)
