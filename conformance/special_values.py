"""Arguments of the calls of the hostile table, with special numbers, without elements, and as views of other memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from conformance.hostile.calls import Arguments, Call
from treadle_runtime.arrays.array import DeviceArray

Elements: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Variant: TypeAlias = Callable[[Elements], Elements]


def special(dtype: np.dtype[Any]) -> Elements:
    """Numbers at which formulas branch, of NumPy's element types."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, 0, 1, info.max - 1, 2, 3], dtype)
    if dtype.kind == "f":
        floats = np.finfo(dtype)
        found = [np.nan, 1.5, np.inf, -0.0, floats.max, -np.inf, floats.smallest_subnormal, 0.0]
        return np.array([*found, -1.5, floats.tiny, -floats.max, 0.5], dtype)
    if dtype.kind == "c":
        return np.array([complex(np.nan, 1), 1 + 2j, np.inf, complex(-0.0, -0.0), -1j, 0], dtype)
    return np.array([True, False], dtype)


def cycled(first: int, x: Elements) -> Elements:
    """Special numbers in turn, beginning with one of them."""
    return np.resize(np.roll(special(x.dtype), -first), x.shape)


def filled(which: int, x: Elements) -> Elements:
    """One special number everywhere."""
    numbers = special(x.dtype)
    return np.full(x.shape, numbers[which % numbers.size])


def with_one(which: int, x: Elements) -> Elements:
    """The array with one special number in its middle."""
    numbers, found = special(x.dtype), x.copy()
    found[tuple([size // 2 for size in x.shape])] = numbers[which % numbers.size]
    return found


def strided(x: Elements) -> Elements:
    """A view that leaves out every other element."""
    memory = np.zeros([2 * size for size in x.shape], x.dtype)
    view: Elements = memory[(slice(None, None, 2),) * x.ndim]
    view[...] = x
    return view


def backwards(x: Elements) -> Elements:
    """A view that goes backwards through memory."""
    turned = (slice(None, None, -1),) * x.ndim
    return np.asarray(np.ascontiguousarray(x[turned])[turned])


def empty(x: Elements) -> Elements:
    """As many axes, none of them with elements."""
    return x[(slice(0, 0),) * x.ndim]


def _viewed(view: Variant, values: Variant, x: Elements) -> Elements:
    return view(values(x)) if x.ndim else values(x)


# The variants of values, then the variants of views.
VALUES: Final[dict[str, Variant]] = {
    "as they are": lambda x: x,
    "NaN": partial(with_one, 0),
    "infinity": partial(with_one, 2),
    "zeros with a sign": partial(filled, 3),
    "subnormal": partial(filled, 6),
    "mixed": partial(cycled, 0),
    "mixed again": partial(cycled, 5),
}
VIEWS: Final[dict[str, Variant]] = {
    "strided": partial(_viewed, strided, lambda x: x),
    "backwards": partial(_viewed, backwards, lambda x: x),
    "transposed": np.asfortranarray,
    "mixed and strided": partial(_viewed, strided, partial(cycled, 1)),
}


def varied(call: Call, variant: Variant) -> Arguments:
    """The arguments of a call, with a variant of each array of NumPy's numbers."""
    positional, named = call.arguments()
    return [_varied(x, variant) for x in positional], {
        name: _varied(x, variant) for name, x in named.items()
    }


def _varied(x: Any, variant: Variant) -> Any:
    if type(x) in (list, tuple):
        return type(x)([_varied(each, variant) for each in x])
    if type(x) is not DeviceArray or x.dtype.kind not in "fiuc":
        return x
    elements = variant(np.asarray(x))
    return DeviceArray(x.placed.with_shape(elements.shape), elements)
