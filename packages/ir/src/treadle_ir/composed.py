"""Composed functions: those of the library that do nothing but apply primitives to their arguments.

Under a transformation such a function runs as it is, operation by operation. Where nothing transforms it, the
evaluator may run it as a whole: it stages the function once for each kind of arguments, and later calls skip the
Python between its operations (decisions/0060-composed-functions.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar

import numpy as np

from treadle_ir.errors import TreadleError, out_of_memory
from treadle_ir.operands import as_array
from treadle_ir.trace import EvalTrace, current_trace

P = ParamSpec("P")
T = TypeVar("T")

# Any: a counterpart takes as many of NumPy's arrays as its function takes arrays.
Counterpart: TypeAlias = Callable[..., "Sequence[np.ndarray[Any, Any]] | None"]
# The types of the arrays, and the values that follow them.
CounterpartMaker: TypeAlias = Callable[..., Counterpart | None]

counterparts: Final[dict[Callable[..., Any], CounterpartMaker]] = {}
"""What makes the counterparts of composed functions, by the function without its mark."""

_SMALL: Final = 1 << 31
_NUMBERS: Final = (bool, int, float, complex, np.ndarray, np.generic)


def composed(function: Callable[P, T]) -> Callable[P, T]:
    """Mark a function of arrays and of values that say what to do with them: numbers, names, axes, element types.

    What it does may depend on the types of its arrays, on those values and on the context, and on nothing else: not on
    the elements, not on Python's state. It has no effects, and returns arrays.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_ir.composed import composed
        >>> @composed
        ... def difference_of_squares(x, y):
        ...     return ops.multiply(ops.add(x, y), ops.subtract(x, y))
        >>> print(difference_of_squares(np.float32(3), np.float32(2)))
        5.0
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        trace = current_trace()
        if trace.__class__ is EvalTrace:
            try:
                return trace.evaluator.call(function, args, kwargs)
            except MemoryError as error:
                raise _out_of_memory(error) from None
        return function(*args, **kwargs)

    return call


def composed_in_numpy(maker: CounterpartMaker) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As `composed`, of a function that NumPy has too: the evaluator may call that on small arrays.

    `maker` is given the types of the arrays, and then the values that follow them, if it has so many parameters and
    nothing is given by name. It returns the counterpart: a function of NumPy's arrays that returns the results as new
    arrays, or None where the operations have to compute them; or it returns None, where such arguments have no
    counterpart. The results are those of the operations, to the last bit.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_ir.composed import composed_in_numpy
        >>> @composed_in_numpy(lambda types: lambda x: [x + x] if types[0].ndim else None)
        ... def twice(x):
        ...     return ops.add(x, x)
        >>> print(twice(np.float32(2.0)))
        4.0
    """

    def mark(function: Callable[P, T]) -> Callable[P, T]:
        counterparts[function] = maker
        return composed(function)

    return mark


def composed_numbers(*numbers: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As `composed`; numbers of the parameters named are no other kind of argument each, since they become arrays.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_ir.composed import composed_numbers
        >>> @composed_numbers("x")
        ... def twice(x):
        ...     return ops.add(x, x)
        >>> print(twice(2.0))
        4.0
    """

    def mark(function: Callable[P, T]) -> Callable[P, T]:
        hold = _holder(function, numbers, _held_small)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            trace = current_trace()
            if trace.__class__ is not EvalTrace:
                return function(*args, **kwargs)
            given, named = hold(args, kwargs)
            try:
                return trace.evaluator.call(function, given, named)
            except MemoryError as error:
                raise _out_of_memory(error) from None

        return call

    return mark


def composed_loop(
    *numbers: str, counterpart: CounterpartMaker | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As `composed`, of a function with a loop whose steps the evaluator compiles in any case.

    The evaluator may compile all of the function in its place, at the first call with a kind of arguments: afterwards
    it is one launch, where staging the loop to find it again took a millisecond. `numbers` are the parameters whose
    numbers become arrays before that, so that another number is not another kind of argument.

    `counterpart` makes a function of a library that the evaluator may call instead, as for `composed_in_numpy`, but on
    arrays of any size, and its results are those of the operations up to rounding: it serves from the first call on.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_ir.composed import composed_loop
        >>> @composed_loop("x")
        ... def half(x):  # the loop is left out here
        ...     return ops.multiply(x, np.float32(0.5))
        >>> print(half(2.0))
        1.0
    """

    def mark(function: Callable[P, T]) -> Callable[P, T]:
        if counterpart is not None:
            counterparts[function] = counterpart
        hold = _holder(function, numbers, _held)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            trace = current_trace()
            if trace.__class__ is not EvalTrace:
                return function(*args, **kwargs)
            try:
                if not numbers:
                    return trace.evaluator.call(function, args, kwargs, True)
                given, named = hold(args, kwargs)
                return trace.evaluator.call(function, given, named, True)
            except MemoryError as error:
                raise _out_of_memory(error) from None

        return call

    return mark


def _out_of_memory(error: MemoryError) -> MemoryError:
    """The error of a library that had no memory in our words; ours as it is."""
    return error if isinstance(error, TreadleError) else out_of_memory(error)


def _holder(
    function: Callable[..., Any], numbers: Sequence[str], held: Callable[[object], object]
) -> Callable[[Sequence[Any], dict[str, Any]], tuple[Sequence[Any], dict[str, Any]]]:
    """What gives arguments as they are held, where they are those of some of a function's parameters."""
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
    """A number as an array, if it fits any type of its kind; what does not is for the function."""
    kind = x.__class__
    return as_array(x) if kind is float or (kind is int and -_SMALL <= x < _SMALL) else x  # type: ignore[operator]  # an int


def _held(x: object) -> object:
    """A number as an array, and NumPy's arrays as ours; anything else as it is: the function says what is wrong."""
    return as_array(x) if isinstance(x, _NUMBERS) else x
