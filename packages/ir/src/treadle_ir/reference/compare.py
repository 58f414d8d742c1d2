"""NumPy kernels of comparison and selection."""

from __future__ import annotations

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.primitives.compare import Clamp, Compare, Select
from treadle_ir.reference.keys import words_of_keys
from treadle_ir.reference.registry import Elements, eval_rule

UFUNCS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@eval_rule(Compare)
def compare_eval(primitive: Compare, x: Elements, y: Elements) -> list[Elements]:
    """Compute NumPy's comparison; random keys by their words. All float0 are equal."""
    if dtypes.is_float0(x.dtype):
        shape = np.broadcast_shapes(x.shape, y.shape)
        return [np.full(shape, primitive.direction == "eq")]
    if dtypes.is_key(x.dtype):
        if x.dtype != dtypes.KEY:
            words = words_of_keys(x)
            within_a_key = tuple(range(x.ndim - words.ndim, 0))
            same = np.all(words == words_of_keys(y), axis=within_a_key)
            return [same if primitive.direction == "eq" else np.logical_not(same)]
        x, y = (np.asarray(keys).view(np.uint64) for keys in (x, y))
    return [UFUNCS[primitive.direction](x, y)]


@eval_rule(Select)
def select_eval(
    primitive: Select, condition: Elements, on_true: Elements, on_false: Elements
) -> list[Elements]:
    """Apply NumPy's where."""
    return [np.where(condition, on_true, on_false)]


@eval_rule(Clamp)
def clamp_eval(primitive: Clamp, low: Elements, x: Elements, high: Elements) -> list[Elements]:
    """Lower bound first, as StableHLO has it: where low > high the result is high."""
    kept = np.minimum(np.maximum(x, low), high)
    return [kept if kept.dtype == x.dtype else kept.astype(x.dtype)]  # NumPy widens 4-bit integers
