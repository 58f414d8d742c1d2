"""Mapped axes of length 0: there is no slice of size 1 of them."""

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_ir import ops, stage, type_of
from treadle_ir.primitives.indexing.gather import Gather
from treadle_ir.primitives.indexing.scatter import ScatterAdd

ROWS, STARTS = np.zeros((0, 5), np.float32), np.zeros(0, np.int32)


@pytest.mark.parametrize(
    ("function", "arguments", "shape"),
    [
        (lambda x, i: ops.dynamic_slice(x, i, sizes=(2,)), (ROWS, STARTS), (0, 2)),
        (
            lambda x, i: ops.dynamic_update_slice(x, np.ones(2, np.float32), i),
            (ROWS, STARTS),
            (0, 5),
        ),
    ],
)
def test_empty_batches(function, arguments, shape):
    result = vmap(function)(*arguments)
    assert result.shape == shape
    assert result.dtype == np.float32


def promises(function, in_axes, *operands):
    """The indexing operation of a batched function."""
    program = stage(lambda *xs: [vmap(function, in_axes)(*xs)], *map(type_of, operands)).program
    kinds = (Gather, ScatterAdd)
    (found,) = [each.primitive for each in program.equations if isinstance(each.primitive, kinds)]
    return found.indices_are_sorted, found.unique_indices


def test_promises_that_a_batch_breaks_are_not_passed_on():
    """Each batch element keeps its promise; together their indices are neither sorted nor unique."""
    x, indices = np.zeros((3, 8), np.float32), np.array([[1, 4], [0, 1], [2, 4]], np.int32)
    updates = np.ones((3, 2), np.float32)

    def take(x, places):
        return ops.gather(
            x,
            ops.reshape(places, shape=(2, 1)),
            offset_dims=(),
            collapsed_slice_dims=(0,),
            start_index_map=(0,),
            slice_sizes=(1,),
            indices_are_sorted=True,
            unique_indices=True,
        )

    def add(x, places, updates):
        return ops.scatter_add(
            x,
            ops.reshape(places, shape=(2, 1)),
            updates,
            update_window_dims=(),
            inserted_window_dims=(0,),
            scatter_dims_to_operand_dims=(0,),
            indices_are_sorted=True,
            unique_indices=True,
        )

    assert promises(take, (None, 0), x[0], indices) == (False, False)  # all in one operand
    assert promises(take, (0, 0), x, indices) == (False, True)  # each in its own
    assert promises(take, (0, None), x, indices[0]) == (True, True)  # the same for all
    assert promises(add, (0, 0, 0), x, indices, updates) == (False, True)
    assert promises(add, (0, None, 0), x, indices[0], updates) == (True, True)
