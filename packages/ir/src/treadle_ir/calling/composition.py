"""Composed functions: library functions that do nothing but apply primitives to their arguments.

Under a transformation such a function runs unchanged, operation by operation. Without a transformation, the
evaluator may run it fused: it stages the function once for each kind of arguments, and later calls skip the
Python between its operations (decisions/0060-composed-functions.md). A function of another library may replace it
(decisions/0165-one-dispatcher-of-host-functions.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np

from treadle_ir.calling.operands import as_array
from treadle_ir.errors.kinds import TreadleError, out_of_memory
from treadle_ir.tracing.staging import StagingTrace
from treadle_ir.tracing.trace import EvalTrace, current_trace

if TYPE_CHECKING:
    from treadle_ir.core.types import ArrayType

P = ParamSpec("P")
T = TypeVar("T")

# Any: a host function takes as many NumPy arrays as its composed function takes arrays.
HostFunction: TypeAlias = Callable[..., "Sequence[np.ndarray[Any, Any]] | None"]
HostFunctionMaker: TypeAlias = Callable[["Sequence[ArrayType]"], HostFunction | None]

host_functions: Final[dict[Callable[..., Any], HostFunctionMaker]] = {}
"""The makers of host functions, by composed function without its decorator."""

_SMALL: Final = 1 << 31
_NUMBERS: Final = (bool, int, float, complex, np.ndarray, np.generic)


@overload
def composed(function: Callable[P, T], /) -> Callable[P, T]: ...
@overload
def composed(
    *, numbers: Sequence[str] = (), loops: bool = False, host: HostFunctionMaker | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]: ...
def composed(
    function: Callable[..., Any] | None = None,
    /,
    *,
    numbers: Sequence[str] = (),
    loops: bool = False,
    host: HostFunctionMaker | None = None,
) -> Any:
    """Mark a function of arrays and of options: numbers, names, axes, element types.

    Its operations may depend on the types of its arrays, on the options and on the context, and on nothing else: not on
    the elements, not on Python's state. It has no effects, and returns arrays.

    Args:
        function: the function; without it, a decorator.
        numbers: parameters whose numbers become arrays, so that a different number does not need a different plan.
        loops: whether the function contains a loop, whose body the evaluator compiles in any case. It may then compile
            the whole function in the first call with a kind of arguments.
        host: a maker of host functions. It gets the types of the arrays, and returns a function of NumPy arrays that
            the evaluator may call instead, or None. A host function returns the results as new arrays, or None if
            the operations have to compute them. It is called for arguments that are arrays and tuples of arrays only.
            It gives the same results as the operations, to the last bit, since the first call runs the operations; with
            `loops`, the same up to rounding, and it serves from the first call on, and arrays of any size.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_ir.calling.composition import composed
        >>> @composed
        ... def difference_of_squares(x, y):
        ...     return ops.multiply(ops.add(x, y), ops.subtract(x, y))
        >>> print(difference_of_squares(np.float32(3), np.float32(2)))
        5.0
        >>> @composed(numbers=["x"], host=lambda types: lambda x: [x + x])
        ... def twice(x):
        ...     return ops.add(x, x)
        >>> print(twice(2.0))
        4.0
    """

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        if host is not None:
            host_functions[function] = host

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            trace = current_trace()
            if trace.__class__ is EvalTrace:
                try:
                    return trace.evaluator.call(function, args, kwargs, loops)
                except MemoryError as error:
                    raise _out_of_memory(error) from None
            if host is not None and isinstance(trace, StagingTrace) and trace.composed_call:
                return trace.composed_call(function, args, kwargs)
            return function(*args, **kwargs)

        if not numbers:
            return call
        hold = _holder(function, numbers, _held if loops else _held_small)

        @wraps(function)
        def call_holding(*args: Any, **kwargs: Any) -> Any:
            trace = current_trace()
            if trace.__class__ is not EvalTrace:
                return function(*args, **kwargs)
            given, named = hold(args, kwargs)
            try:
                return trace.evaluator.call(function, given, named, loops)
            except MemoryError as error:
                raise _out_of_memory(error) from None

        return call_holding

    return mark if function is None else mark(function)


def _out_of_memory(error: MemoryError) -> MemoryError:
    """Return treadle's error for another library's error about memory; treadle's own error unchanged."""
    return error if isinstance(error, TreadleError) else out_of_memory(error)


def _holder(
    function: Callable[..., Any], numbers: Sequence[str], held: Callable[[object], object]
) -> Callable[[Sequence[Any], dict[str, Any]], tuple[Sequence[Any], dict[str, Any]]]:
    """Return a function that converts the arguments of the parameters `numbers` with `held`."""
    names = function.__code__.co_varnames
    places = [names.index(name) for name in numbers]

    def hold(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        given = [*args]
        for place in places:
            if place < len(given):
                given[place] = held(given[place])
        return given, kwargs and {
            name: held(x) if name in numbers else x for name, x in kwargs.items()
        }

    return hold


def _held_small(x: object) -> object:
    """Convert a number to an array, if it fits any dtype of its kind; otherwise the function raises an error."""
    kind = x.__class__
    return as_array(x) if kind is float or (kind is int and -_SMALL <= x < _SMALL) else x  # type: ignore[operator]  # an int


def _held(x: object) -> object:
    """Convert numbers and NumPy arrays to arrays; return anything else unchanged, for the function to refuse."""
    return as_array(x) if isinstance(x, _NUMBERS) else x
