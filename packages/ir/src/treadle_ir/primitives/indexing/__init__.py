"""Indexing with computed positions: gather, the scatters, dynamic_slice, dynamic_update_slice.

The last axis of `indices` holds the index vectors (StableHLO's index_vector_dim is always that axis).

    gather(operand, indices, *, offset_dims, collapsed_slice_dims, start_index_map, slice_sizes,
           operand_batching_dims=(), start_indices_batching_dims=(), mode="fill", fill_value=None,
           indices_are_sorted=False, unique_indices=False)
    scatter, scatter_add, scatter_multiply, scatter_maximum, scatter_minimum(operand, indices, updates, *,
           update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, operand_batching_dims=(),
           scatter_indices_batching_dims=(), mode="fill", indices_are_sorted=False, unique_indices=False)
    dynamic_slice(operand, *starts, sizes)
    dynamic_update_slice(operand, update, *starts)

Positions out of range: "clip" moves the whole slice inside; "fill" gives `fill_value` for a gather (by default
NaN, the least signed integer, the greatest unsigned integer, or True) and drops the slice of a scatter;
"promise_in_bounds" promises that there are none. A slice that is only partly outside counts as outside.
Negative positions are out of range: nothing wraps around here. The starts of dynamic_slice and
dynamic_update_slice are always clipped.
"""

from __future__ import annotations

from treadle_ir.primitives.indexing.dynamic import (
    DynamicSlice as DynamicSlice,
    DynamicUpdateSlice as DynamicUpdateSlice,
    dynamic_slice as dynamic_slice,
    dynamic_update_slice as dynamic_update_slice,
)
from treadle_ir.primitives.indexing.gather import (
    Gather as Gather,
    gather as gather,
)
from treadle_ir.primitives.indexing.positions import (
    FillValue as FillValue,
    Mode as Mode,
    interleave as interleave,
)
from treadle_ir.primitives.indexing.scatter import (
    Scatter as Scatter,
    ScatterAdd as ScatterAdd,
    ScatterFamily as ScatterFamily,
    ScatterMaximum as ScatterMaximum,
    ScatterMinimum as ScatterMinimum,
    ScatterMultiply as ScatterMultiply,
    scatter as scatter,
    scatter_add as scatter_add,
    scatter_maximum as scatter_maximum,
    scatter_minimum as scatter_minimum,
    scatter_multiply as scatter_multiply,
)
