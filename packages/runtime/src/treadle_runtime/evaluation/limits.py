"""Decide whether an eager operation is small enough for NumPy; `family_limits.py` has the measured limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_ir import ArrayType, Primitive, RuleTable, Type
from treadle_ir.core import Reducing, dtypes
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.contract import Convolution
from treadle_ir.primitives.reduce import ArgReduction, Reduction
from treadle_runtime.arrays.array import DeviceArray

ANY_SIZE: Final = 1 << 62
LARGE: Final = (
    1 << 17
)  # elements of an operand or a result above which a fused function may be compiled
OTHERWISE: Final = 1 << 14  # elements, for primitives without a registered limit
# elements, for types that NumPy does not have (bfloat16, the small floats) or is slow with
SLOW_LIMIT: Final = 1 << 15

_SLOW_ON_INTEGERS: Final = frozenset({e.Divide, e.Power, e.Remainder})
"""NumPy's integer loops for these are not vectorised, or make several passes over the elements."""

# NumPy's convolution copies the window at every position: 40 GB for 100,000 positions and windows of 100,000 elements.
# With this many products it takes as long as a compilation by XLA.
MOST_PRODUCTS: Final = 1 << 23

# loops of a NumPy reduction, each of which takes 30 to 70 ns to start: 7 ms for the maxima of 1e5 rows of ten
MOST_ROWS: Final = 1 << 12

host_limits: Final[RuleTable[int]] = RuleTable(
    "host limit",
    "host_limits.register",
    "evaluation/family_limits.py",
    "treadle_runtime.evaluation.family_limits",
)
"""The size of the largest operand or result up to which NumPy evaluates the operations of a family on the CPU."""


def is_large(x: DeviceArray) -> bool:
    """Return whether an array is so large that a function of it may be compiled."""
    return x.placed.type.size > LARGE


def is_small(primitive: Primitive, types: Sequence[Type]) -> bool:
    """Return whether operands and results of these types are small enough for NumPy, or have dtypes that XLA lacks."""
    if any([each.dtype in dtypes.NOT_COMPILED for each in types if isinstance(each, ArrayType)]):
        return True
    limit = host_limits.get(type(primitive)) or OTHERWISE
    for each in types:
        assert isinstance(each, ArrayType)
        if each.size > limit or (each.size > SLOW_LIMIT and _is_slow(primitive, each.dtype)):
            return False
    if isinstance(primitive, Convolution):
        return _products(primitive, types) <= MOST_PRODUCTS
    return not isinstance(primitive, Reducing) or _rows(primitive, types[0]) <= MOST_ROWS


def _products(primitive: Convolution, types: Sequence[Type]) -> int:
    """Return the number of multiplications in a convolution: one window per position and output feature."""
    _, kernel, result = types
    assert isinstance(kernel, ArrayType)
    assert isinstance(result, ArrayType)
    outputs = kernel.shape[primitive.rhs_spec[0]]
    return result.size * (kernel.size // outputs) if outputs else 0


def _is_slow(primitive: Primitive, dtype: dtypes.DType) -> bool:
    """Return whether NumPy takes several times as long as XLA for elements of this dtype."""
    return dtype.kind == "V" or (type(primitive) in _SLOW_ON_INTEGERS and dtype.kind in "iu")


def _rows(primitive: Reducing, type: Type) -> int:
    """Return the number of inner loops in NumPy's reduction."""
    assert isinstance(type, ArrayType)
    if not type.size or not isinstance(primitive, (ArgReduction, Reduction)):
        return 0
    shape = type.shape
    if isinstance(primitive, ArgReduction):
        return type.size // shape[primitive.axis]
    run, inner = 1, None  # the axes within the loop, and whether they are reduced
    for axis in range(
        len(shape) - 1, -1, -1
    ):  # adjacent axes that are all reduced, or all kept, are merged
        if shape[axis] == 1:
            continue
        reduced = axis in primitive.axes
        if inner is not None and reduced is not inner:
            break
        run, inner = run * shape[axis], reduced
    return type.size // run
