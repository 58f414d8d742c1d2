"""What libraries ask of the state of tracing, and of types."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle.core import AbstractValue, ShapedArray, type_of_aval
from treadle.jaxprs import Jaxpr
from treadle_ir import Array, ArrayType, type_of
from treadle_ir.analysis import verify
from treadle_ir.calling import as_array
from treadle_ir.core import dtypes
from treadle_ir.errors import integer, refused
from treadle_ir.process import frozen
from treadle_ir.settings import current_context
from treadle_ir.tracing import ROOT, StagingTrace, Trace, Tracer, current_trace, running

array_types: Final = frozenset(
    [np.ndarray, *[dtype.type for dtype in dtypes.BY_NAME.values() if dtype.names is None]]
)
"""The classes of what counts as an array besides arrays of treadle's own: NumPy's arrays and scalars."""
Value: TypeAlias = Any  # Any: whatever a user has


@final
class TraceTag:
    """What tells a transformation at work from others of its kind: each one equals itself only."""


@final
@frozen
class OpaqueTraceState:
    """What is being traced, and the axes that collectives may use; equal where neither has changed.

    Settings and the mesh in force are not part of it, as in JAX: what is made outside of `set_mesh` is used within.
    """

    trace: Trace
    axes: Hashable


_OUTSIDE: Final = OpaqueTraceState(ROOT, ())  # libraries ask for each variable of a model


def get_opaque_trace_state(convention: str | None = None) -> OpaqueTraceState:
    """Return a token for the current trace: tokens are equal as long as the trace is the same.

    Example:
        >>> import treadle
        >>> from treadle.extend.core import get_opaque_trace_state
        >>> outside = get_opaque_trace_state()
        >>> seen = []
        >>> _ = treadle.jit(lambda x: (seen.append(get_opaque_trace_state() == outside), x)[1])(1.0)
        >>> get_opaque_trace_state() == outside, seen
        (True, [False])
    """
    trace, axes = current_trace(), current_context().axes
    return _OUTSIDE if trace is ROOT and not axes else OpaqueTraceState(trace, axes)


def take_current_trace() -> AbstractContextManager[Trace]:
    """`with take_current_trace() as trace:` gives what is being traced now."""
    return nullcontext(current_trace())


def set_current_trace(trace: Trace, check_leaks: bool = False) -> running:
    """`with set_current_trace(trace):` operations are given to that trace.

    Raises:
        ArgumentError: it is not a trace.
    """
    if not isinstance(trace, Trace):
        raise refused("set_current_trace", "trace", "a trace", trace)
    return running(trace)


def find_top_trace(args: object) -> Trace:
    """Return the current trace, whatever the arguments are."""
    return current_trace()


def _array_type(function: str, aval: AbstractValue) -> ArrayType:
    type = type_of_aval(aval)
    if not isinstance(type, ArrayType):
        raise refused(function, "aval", "a ShapedArray", aval)
    return type


def mapped_aval(size: int, axis: int | None, aval: AbstractValue) -> AbstractValue:
    """Return the type of one element of a batch.

    Raises:
        ArgumentError: the type has no such axis of that size.

    Example:
        >>> import treadle
        >>> from treadle.extend.core import mapped_aval
        >>> mapped_aval(3, 0, treadle.typeof(treadle.numpy.ones((3, 2))))
        ShapedArray(float32[2])
    """
    if axis is None:
        return aval
    type = _array_type("mapped_aval", aval)
    axis = integer("mapped_aval", "axis", axis)
    if not 0 <= axis < type.ndim or type.shape[axis] != size:
        raise refused("mapped_aval", "axis", f"an axis of {type} of size {size}", axis)
    return ShapedArray.of(type.with_shape(type.shape[:axis] + type.shape[axis + 1 :]))


def unmapped_aval(
    size: int, axis: int | None, aval: AbstractValue, explicit_mesh_axis: None = None
) -> AbstractValue:
    """Return the type of a batch of elements.

    Raises:
        ArgumentError: the type has too few axes.

    Example:
        >>> import treadle
        >>> from treadle.extend.core import unmapped_aval
        >>> unmapped_aval(3, 1, treadle.typeof(treadle.numpy.ones(2)))
        ShapedArray(float32[2,3])
    """
    if axis is None:
        return aval
    type = _array_type("unmapped_aval", aval)
    axis = integer("unmapped_aval", "axis", axis)
    if not 0 <= axis <= type.ndim:
        raise refused("unmapped_aval", "axis", f"a place among the axes of {type}", axis)
    return ShapedArray.of(type.with_shape((*type.shape[:axis], size, *type.shape[axis:])))


def concrete_or_error(
    force: Any, val: Value, context: str = ""
) -> Any:  # Any: a function; its result
    """Return a value that is known while tracing, through `force` (such as `int`) unless that is None.

    Raises:
        ConcretizationError: it is a traced array without elements.
    """
    if isinstance(val, Tracer):
        val = np.asarray(val)
    return val if force is None else force(val)


def valid_jaxtype(x: Value) -> bool:
    """Return whether a value is an array or a number, so that functions can be traced on it.

    Example:
        >>> from treadle.extend.core import valid_jaxtype
        >>> valid_jaxtype(1.0), valid_jaxtype("text")
        (True, False)
    """
    if isinstance(x, (Array, bool, int, float, complex)):
        return True
    try:
        type_of(as_array(x))
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def primal_dtype_to_tangent_dtype(primal_dtype: object) -> np.dtype[Any]:
    """Return the element type of tangents of arrays of an element type."""
    return ArrayType((), np.dtype(primal_dtype)).tangent().dtype  # type: ignore[call-overload]


def unsafe_am_i_under_a_jit_DO_NOT_USE() -> bool:  # noqa: N802 - JAX's name
    """Return whether a function is being staged."""
    return any(isinstance(trace, StagingTrace) for trace in _traces())


def unsafe_am_i_under_a_vmap_DO_NOT_USE() -> bool:  # noqa: N802 - JAX's name
    """Return whether a function is being vectorised."""
    return any(type(trace).__name__ == "BatchTrace" for trace in _traces())


def unsafe_get_axis_names_DO_NOT_USE() -> list[Hashable]:  # noqa: N802 - JAX's name
    """Return the names of the axes that collectives may use here."""
    return [axis[0] for axis in current_context().axes]


def nonempty_axis_env_DO_NOT_USE() -> bool:  # noqa: N802 - JAX's name
    """Return whether there are axes that collectives may use here."""
    return bool(current_context().axes)


def check_jaxpr(jaxpr: Jaxpr) -> None:
    """Check everything that a program promises: types, definitions before uses, effects.

    Raises:
        JaxprTypeError: it does not keep it; ArgumentError: it is not a program.

    Example:
        >>> import treadle
        >>> from treadle.extend.core import check_jaxpr
        >>> check_jaxpr(treadle.make_jaxpr(lambda x: x + 1)(1.0).jaxpr)
    """
    if not isinstance(jaxpr, Jaxpr):
        raise refused("check_jaxpr", "jaxpr", "a jaxpr, as of `make_jaxpr(f)(x).jaxpr`", jaxpr)
    verify(jaxpr.program)


def _traces() -> list[Trace]:
    found = []
    trace: Trace | None = current_trace()
    while trace is not None:
        found.append(trace)
        trace = trace.parent
    return found
