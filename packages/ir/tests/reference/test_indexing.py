import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from treadle_ir import ArrayType, ops
from treadle_ir.primitives.indexing import (
    Gather,
    Scatter,
    ScatterAdd,
    ScatterFamily,
    ScatterMaximum,
    ScatterMinimum,
    ScatterMultiply,
)
from treadle_ir.reference.registry import Elements
from treadle_ir.testing.examples import Example
from treadle_ir.testing.examples.indexing import EXAMPLES

COMBINE: dict[type[ScatterFamily], Any] = {
    Scatter: lambda old, new: new,
    ScatterAdd: np.add,
    ScatterMultiply: np.multiply,
    ScatterMaximum: np.maximum,
    ScatterMinimum: np.minimum,
}


def start_of(
    vector: list[int], axes: tuple[int, ...], limits: list[int], mode: str, fixed: dict[int, int]
) -> tuple[list[int], bool]:
    """Return where a slice starts, and whether it is in range, according to the mode."""
    start = [0] * len(limits)
    inside = True
    for axis, value in zip(axes, vector, strict=True):
        inside = inside and 0 <= value <= limits[axis]
        start[axis] = min(max(value, 0), limits[axis])
    for axis, value in fixed.items():
        start[axis] = value
    return start, inside or mode != "fill"


def gather_by_loops(
    p: Gather, operand: Elements, indices: Elements, shape: tuple[int, ...]
) -> Elements:
    """StableHLO's definition, one element at a time."""
    result = np.empty(shape, operand.dtype)
    dropped = p.collapsed_slice_dims + p.operand_batching_dims
    limits = [size - n for size, n in zip(operand.shape, p.slice_sizes, strict=True)]
    for place in np.ndindex(*shape):
        batch = tuple(i for axis, i in enumerate(place) if axis not in p.offset_dims)
        offset = iter([place[axis] for axis in p.offset_dims])
        fixed = dict(
            zip(
                p.operand_batching_dims,
                [batch[i] for i in p.start_indices_batching_dims],
                strict=True,
            )
        )
        vector = [int(i) for i in indices[batch]]
        start, inside = start_of(vector, p.start_index_map, limits, p.mode, fixed)
        at = tuple(s + (0 if axis in dropped else next(offset)) for axis, s in enumerate(start))
        result[place] = operand[at] if inside else p.fill(operand.dtype)
    return result


def scatter_by_loops(
    p: ScatterFamily, operand: Elements, indices: Elements, updates: Elements
) -> Elements:
    """StableHLO's definition, one update at a time, in row-major order."""
    result = operand.copy()
    dropped = p.inserted_window_dims + p.operand_batching_dims
    window = iter([updates.shape[axis] for axis in p.update_window_dims])
    sizes = [1 if axis in dropped else next(window) for axis in range(operand.ndim)]
    limits = [size - n for size, n in zip(operand.shape, sizes, strict=True)]
    for place in np.ndindex(*updates.shape):
        batch = tuple(i for axis, i in enumerate(place) if axis not in p.update_window_dims)
        offset = iter([place[axis] for axis in p.update_window_dims])
        fixed = dict(
            zip(
                p.operand_batching_dims,
                [batch[i] for i in p.scatter_indices_batching_dims],
                strict=True,
            )
        )
        vector = [int(i) for i in indices[batch]]
        start, inside = start_of(vector, p.scatter_dims_to_operand_dims, limits, p.mode, fixed)
        if inside:
            at = tuple(s + (0 if axis in dropped else next(offset)) for axis, s in enumerate(start))
            result[at] = COMBINE[type(p)](result[at], updates[place])
    return result


def kind(base: type) -> list[Example]:
    return [example for example in EXAMPLES if isinstance(example.primitive, base)]


def attributes(primitive: Any) -> dict[str, Any]:
    return {field.name: getattr(primitive, field.name) for field in dataclasses.fields(primitive)}


@pytest.mark.parametrize("example", kind(Gather), ids=lambda example: example.id)
def test_gather_agrees_with_its_definition(example: Example) -> None:
    operand, indices = (np.asarray(x) for x in example.operands())
    p = example.primitive
    assert isinstance(p, Gather)
    (result_type,) = p.infer(*example.types)
    assert isinstance(result_type, ArrayType)
    expected = gather_by_loops(p, operand, indices, result_type.shape)
    np.testing.assert_array_equal(ops.gather(operand, indices, **attributes(p)), expected)


@pytest.mark.parametrize("example", kind(ScatterFamily), ids=lambda example: example.id)
def test_scatter_agrees_with_its_definition(example: Example) -> None:
    operand, indices, updates = (np.asarray(x) for x in example.operands())
    p = example.primitive
    assert isinstance(p, ScatterFamily)
    expected = scatter_by_loops(p, operand, indices, updates)
    result = getattr(ops, p.name)(operand, indices, updates, **attributes(p))
    if operand.dtype.kind in "fc" and operand.dtype.itemsize == 8:
        # updates are combined in another order, so the last bits differ
        rtol = 50 * np.finfo(operand.dtype).eps
        np.testing.assert_allclose(result, expected, rtol=rtol)
    else:
        np.testing.assert_array_equal(result, expected)


def test_operands_are_left_alone() -> None:
    operand, indices = np.zeros(3), np.array([[1]])
    points: Any = {
        "update_window_dims": (),
        "inserted_window_dims": (0,),
        "scatter_dims_to_operand_dims": (0,),
    }
    ops.scatter_add(operand, indices, np.ones(1), **points)
    ops.scatter(operand, indices[0], np.float64(1), **points)
    ops.dynamic_update_slice(operand, np.ones(2), np.int32(0))
    assert not operand.any()


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 5))
def test_dynamic_slice_is_always_in_bounds(start: int, size: int) -> None:
    x = np.arange(5)
    first = min(max(start, 0), 5 - size)
    np.testing.assert_array_equal(
        ops.dynamic_slice(x, np.int32(start), sizes=(size,)), x[first : first + size]
    )
    updated = x.copy()
    updated[first : first + size] = -1
    update = np.full(size, -1, x.dtype)
    np.testing.assert_array_equal(ops.dynamic_update_slice(x, update, np.int32(start)), updated)


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("i1", -128), ("u1", 255), ("i4", -(2**31)), ("u4", 2**32 - 1), ("?", True)],
)
def test_what_is_filled_in_by_default(dtype: str, expected: object) -> None:
    # measured on jax 0.10.2: the least signed, the greatest unsigned integer, True
    result = ops.gather(
        np.zeros(3, dtype),
        np.array([[7]]),
        offset_dims=(),
        collapsed_slice_dims=(0,),
        start_index_map=(0,),
        slice_sizes=(1,),
    )
    assert np.asarray(result).tolist() == [expected]
