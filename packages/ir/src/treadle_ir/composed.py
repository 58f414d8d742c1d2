"""Composed functions: those of the library that do nothing but apply primitives to their arguments.

Under a transformation such a function runs as it is, operation by operation. Where nothing transforms it, the
evaluator may run it as a whole: it stages the function once for each kind of arguments, and later calls skip the
Python between its operations (decisions/0060-composed-functions.md).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from treadle_ir.trace import EvalTrace, current_trace

P = ParamSpec("P")
T = TypeVar("T")


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
            return trace.evaluator.call(function, args, kwargs)
        return function(*args, **kwargs)

    return call
