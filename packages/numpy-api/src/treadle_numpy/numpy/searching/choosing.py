"""Choosing between arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, overload

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import names, sequence, shown
from treadle_ir.primitives.compare import Select
from treadle_ir.tracing import current_trace
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.indexing.positions import around, counted
from treadle_numpy.numpy.searching.finding import FillValues, nonzero
from treadle_numpy.numpy.taking import take_along_axis
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast, broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.promote import converted, promote, promote_operands
from treadle_numpy.operands.scalars import scalar_like, truth
from treadle_numpy.operands.trees import Tree

__all__ = ["choose", "piecewise", "select", "where"]

_SELECT: Final = Select()


@overload
def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> Array: ...
@overload
def where(
    condition: ArrayLike,
    x: None = None,
    y: None = None,
    /,
    *,
    size: int | None = None,
    fill_value: FillValues = None,
) -> tuple[Array, ...]: ...
def where(
    condition: ArrayLike,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    /,
    *,
    size: int | None = None,
    fill_value: FillValues = None,
) -> Array | tuple[Array, ...]:
    """Select elements of `x` where the condition holds, and of `y` elsewhere; without them, find where it holds.

    Differs from NumPy: gradients flow through the branch that is taken only, but a NaN that the other branch's
    derivative makes still arrives: make its argument safe with a second `where`.

    Args:
        condition: a boolean array.
        x: an array that broadcasts with the others.
        y: an array that broadcasts with the others.
        size: without choices, the static number of positions to return: see `nonzero`.
        fill_value: without choices, the positions beyond the last: see `nonzero`.

    Returns:
        An array of the broadcast shape and the promoted dtype of `x` and `y`; without them, a tuple with a vector of
        positions for each axis.

    Raises:
        ArgumentError: one of `x` and `y` is given without the other.
        ShapeError, DTypeError: condition and choices have no common shape, or the choices no common element type.
        ConcretizationError: without choices or `size`, while tracing.

    Example:
        >>> import numpy as np
        >>> print(where(np.array([True, False]), 1, 2))
        [1 2]
    """
    if x is None and y is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    if x is None or y is None:
        raise ArgumentError(
            "where: either both or neither of the x and y arguments should be provided"
        )
    try:
        type_ = x.type  # type: ignore[union-attr]  # NumPy's arrays and numbers have none
        given = condition.type  # type: ignore[union-attr]
        if given.dtype.kind == "b" and given.shape == type_.shape:
            same = y.__class__ is x.__class__ and y.type is type_  # type: ignore[union-attr]
            other = y if same else scalar_like(y, type_)
            if other is not None:
                return current_trace().process(_SELECT, (condition, x, other))[0]  # type: ignore[arg-type, return-value]
    except AttributeError:  # something is not an array
        pass
    arrays = isinstance(condition, Array) or isinstance(x, Array) or isinstance(y, Array)
    return (_whole if arrays else _promoting)(condition, x, y)


def _promoting(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> Array:
    chosen = truth("where", 0, condition)
    first, second = promote_operands([coerce("where", 1, x), coerce("where", 2, y)])
    # `numpy_rank_promotion` does not apply to choices
    chosen, first, second = broadcast("where", [chosen, first, second], counted=False)
    return ops.select(chosen, first, second)


_whole: Final = composed(numbers=["x", "y"])(_promoting)  # found again as a whole, and one pass


@composed
def select(
    condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0
) -> Array:
    """Select from the first choice whose condition holds; else the default.

    Raises:
        ArgumentError: there are no conditions, or not one choice for each.
        ShapeError, DTypeError: as `where`.

    Example:
        >>> import numpy as np
        >>> x = np.arange(4, dtype=np.int32)
        >>> print(select([x < 1, x < 3], [x + 10, x + 20], 5))
        [10 21 22  5]
    """
    condlist = sequence("select", "condlist", condlist)
    choicelist = sequence("select", "choicelist", choicelist)
    if len(condlist) != len(choicelist):
        raise ArgumentError(
            f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})"
        )
    if not condlist:
        raise ArgumentError("condlist must be non-empty")
    *choices, result = promote("select", *choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = where(condition, choice, result)
    return array_of(result)


def piecewise(
    x: ArrayLike,
    condlist: ArrayLike | Sequence[ArrayLike],
    funclist: Sequence[ArrayLike | Callable[..., ArrayLike]],
    *args: Tree,
    **kw: Tree,
) -> Array:
    """Return the value of the function whose condition holds; one function more is for where none does (else 0).

    Differs from NumPy: each function is applied to all of `x`.

    Raises:
        ArgumentError: there are neither as many functions as conditions nor one more.
        ShapeError: as `where`.

    Example:
        >>> import numpy as np
        >>> x = np.array([-2.0, 3.0], np.float32)
        >>> print(piecewise(x, [x < 0], [lambda x: -x, 1.0]))
        [2. 1.]
    """
    operand = coerce_array("piecewise", 0, x)
    # As in NumPy, an array with an axis more than `x` is a list of conditions.
    several = isinstance(condlist, (Array, np.ndarray)) and condlist.ndim > max(operand.ndim, 1)
    listed = several or isinstance(condlist, (list, tuple))
    conditions: list[Any] = [*condlist] if listed else [condlist]  # type: ignore[misc]  # it is a list, then
    functions = list(sequence("piecewise", "funclist", funclist))
    if len(functions) == len(conditions) + 1:
        functions = [functions[-1], *functions[:-1]]
    elif len(functions) == len(conditions):
        functions = [0, *functions]
    else:
        raise ArgumentError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions are "
            f"expected; got {len(functions)}"
        )
    values = [f(operand, *args, **kw) if callable(f) else f for f in functions]
    result = converted(coerce("piecewise", 2, values[0]), operand.dtype)
    for condition, value in zip(reversed(conditions), reversed(values[1:]), strict=True):
        result = where(condition, converted(coerce("piecewise", 2, value), operand.dtype), result)
    return array_of(result)


def choose(
    a: ArrayLike,
    choices: ArrayLike | Sequence[ArrayLike],
    out: None = None,
    mode: str = "raise",
) -> Array:
    """From each of several arrays the elements at the places where `a` names it by its position among them.

    `a` and the choices are broadcast to one shape, and the choices promoted to one element type. Positions out of
    range are an error ("raise", which needs positions that are known), counted around ("wrap"), or taken for the first
    or last ("clip").

    Raises:
        ArgumentError: a position is out of range, there are no choices, or no such mode.
        DTypeError: the positions are not integers.
        ConcretizationError: the positions are traced, and `mode` is "raise".

    Example:
        >>> import numpy as np
        >>> print(choose(np.array([0, 1, 0]), [np.array([1, 2, 3]), 10]))
        [ 1 10  3]
    """
    named_only("choose", out=out)
    names("choose", mode=mode)
    if mode not in ("raise", "wrap", "clip"):
        raise ArgumentError(f"choose: mode must be 'raise', 'wrap' or 'clip', got {shown(mode)}")
    places = coerce_array("choose", 0, a)
    if not is_integer(places.dtype):
        raise DTypeError(
            f"choose: the positions must be integers, got {operand_type(places)}",
            fix="use where for conditions",
        )
    given = sequence("choose", "choices", choices)
    if not given:
        raise ArgumentError("choose: there are no choices", fix="pass at least one")
    count = len(given)
    if mode == "raise":
        known = concrete_mask("choose", places, "pass mode='wrap' or mode='clip'")
        if known.size and not 0 <= known.min() <= known.max() < count:
            raise ArgumentError(
                f"choose: a position is not within 0 and {count - 1}", fix="see the argument `mode`"
            )
    operands = promote("choose", *given)
    shape = common_shape("choose", [places.shape, *(each.shape for each in operands)])
    stacked = [
        ops.reshape(broadcast_to_shape(array_of(each), shape), shape=(1, *shape))
        for each in operands
    ]
    row = (around if mode == "wrap" else counted)(places, count, default_dtype(int))
    row = ops.reshape(broadcast_to_shape(row, shape), shape=(1, *shape))
    joined = stacked[0] if count == 1 else ops.concatenate(stacked, dimension=0)
    chosen = take_along_axis(joined, row, 0, mode="clip", wrap_negative_indices=mode == "wrap")
    return ops.reshape(chosen, shape=shape)
