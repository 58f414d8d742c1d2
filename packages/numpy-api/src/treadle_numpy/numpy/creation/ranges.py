"""Ranges of numbers: by a step, by their count, and on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal, overload

import numpy as np

from treadle_ir import ArgumentError, Array, DType, DTypeError, Operand, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core import is_symbolic_dim, max_dim
from treadle_ir.core.dtypes import is_bool, is_floating, is_integer
from treadle_ir.errors import ZeroStepError, allocating, flags, integer, shown
from treadle_ir.tracing import Tracer
from treadle_numpy.indexing.positions import counting
from treadle_numpy.numpy.dtypes.questions import result_type
from treadle_numpy.numpy.ufuncs.arithmetic import divide, multiply
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.numpy.ufuncs.powers import power
from treadle_numpy.numpy.ufuncs.signs import sign
from treadle_numpy.operands.arrays import Elements, filled, made, on_host
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import broadcast, broadcast_to_shape, check_settings
from treadle_numpy.operands.coerce import (
    ArrayLike,
    coerce,
    host_elements,
    is_array_like,
)
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted, promote, promote_operands
from treadle_numpy.operands.scalars import size_scalar
from treadle_numpy.operands.shapes import as_index

__all__ = ["arange", "geomspace", "linspace", "logspace"]

_FEW: Final = 1 << 17  # numbers up to which NumPy counts, so that nothing is compiled


def _number(
    function: str, value: object
) -> Any:  # a number of Python's or NumPy's, to calculate with
    """Return a Python or NumPy number that a range needs to know, also from a concrete array."""
    if value is None or (
        isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)
    ):
        return value
    if isinstance(value, Tracer):
        elements = value.concrete()
        if elements is None:
            return as_index(function, "start, stop and step", value)
        value = elements
    if is_array_like(value):
        elements = host_elements(value)
        assert elements is not None
        if elements.shape:
            raise ArgumentError(
                f"{function}: start, stop and step must be scalars, got shape {elements.shape}"
            )
        return elements[()]
    return as_index(function, "start, stop and step", value)


def arange(
    start: ArrayLike,
    stop: ArrayLike | None = None,
    step: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    *,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """Return the numbers from `start` up to, but not including, `stop`, in steps.

    Args:
        start: the first number; the bound `stop`, if that is None, and the first number is 0.
        stop: the bound, exclusive.
        step: the difference of neighbours, 1 by default.
        dtype: the dtype of the result; the promoted dtype of the arguments if None.
        device: the device or sharding of the result; the default device by default.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Returns:
        A vector.

    Raises:
        ArgumentError: the step is 0; OutOfMemoryError: there is no memory for so many numbers.

    Example:
        >>> print(arange(3), arange(1, 2, 0.5))
        [0 1 2] [1.  1.5]
    """
    if out_sharding is not None:
        return with_out_sharding(arange, out_sharding, start, stop, step, dtype, device=device)
    if any([is_symbolic_dim(each) for each in (start, stop, step)]):
        return placed(_symbolic_arange(start, stop, step, dtype), device)
    named = [_number("arange", value) for value in (start, stop, step)]
    wanted = as_dtype("arange", dtype)
    if wanted is not None and wanted.names is not None:
        raise DTypeError(f"arange: {wanted} has no numbers to count")
    if wanted is None:
        wanted = result_type(*[value for value in named if value is not None])
        if is_bool(wanted):
            raise DTypeError("arange: booleans cannot be counted", fix="convert with int(...)")
    if any(isinstance(value, (complex, np.complexfloating)) for value in named):
        raise ArgumentError(
            "arange: complex numbers cannot be counted", fix="count real numbers, and multiply"
        )
    first, last, by = [_plain(value) for value in named]
    if last is None:
        first, last = 0, first
    by = 1 if by is None else by
    if by == 0:
        raise ZeroStepError("arange: step must not be 0", fix="leave `step` out to count by 1")
    length = (last - first) / by
    if not math.isfinite(length):
        raise ArgumentError(f"arange: there is no end between {first} and {last} in steps of {by}")
    count = max(0, math.ceil(length))
    whole = is_integer(wanted)
    if on_host() and not (count > _FEW and _is_exact(wanted, named)):
        with allocating():
            elements = _integers(first, last, by, wanted) if whole else np.arange(count)
            elements = elements.astype(wanted, copy=False)
        if not whole:  # first + i * by in the element type, as below
            elements = (elements * wanted.type(by) + wanted.type(first)).astype(wanted)
        return placed(made(elements), device)
    return placed(_counted(count, first, by, wanted), device)


def _plain(value: Any) -> Any:  # a number, or None
    """Return an integer of NumPy's as Python's: differences of those with few bits do not fit into these."""
    return int(value) if isinstance(value, np.generic) and is_integer(value.dtype) else value


@composed
def _counted(count: int, first: Any, by: Any, wanted: DType) -> Array:  # Any: numbers
    """Many numbers from the first, some number apart."""
    numbers = ops.iota(shape=(count,), dimension=0, dtype=wanted)
    if by != 1:
        numbers = ops.multiply(numbers, wanted.type(by))
    return numbers if first == 0 else ops.add(numbers, wanted.type(first))


def _is_exact(wanted: DType, named: Sequence[object]) -> bool:
    """Return whether the numbers can be counted in the wanted type itself, as a program does it."""
    if is_floating(wanted):
        return wanted.itemsize >= 4
    return is_integer(wanted) and all([_held(n, wanted) for n in named if n is not None])


def _held(number: object, wanted: DType) -> bool:
    """Return whether an integer type holds a number, which is an integer."""
    if wanted.kind not in "iu" or not isinstance(number, (int, np.integer)):
        return False
    bounds = np.iinfo(wanted)
    return bool(bounds.min <= number <= bounds.max)


def _integers(first: Any, last: Any, by: Any, wanted: DType) -> Elements:  # Any: numbers
    """From a number to another, in the wanted type if that holds all of them: a third of the time."""
    holds = all([_held(n, wanted) for n in (first, last, by)])
    holds = holds and _held(int(first) + int(by), wanted)
    elements: Elements = np.arange(first, last, by, dtype=wanted if holds else None)
    return elements


def _symbolic_arange(
    start: Any, stop: Any, step: Any, dtype: DTypeLike | None
) -> Array:  # Any: sizes
    """`arange` up to or from sizes that a program leaves open."""
    first, last = (0, start) if stop is None else (start, stop)
    by = 1 if step is None else step
    for each in (first, last, by):
        if not is_symbolic_dim(each) and not isinstance(each, (int, np.integer)):
            raise ArgumentError(
                f"arange: together with symbolic dimensions there must be integers, got {shown(each)} of {type(each)}"
            )
    if is_symbolic_dim(by) or by < 1:
        raise UnsupportedError(
            f"arange: the step is {by}, but must be a known positive integer where the ends are symbolic",
            fix="multiply arange(n) by the step",
        )
    count = max_dim((last - first + by - 1) // by, 0)
    wanted = as_dtype("arange", dtype) or result_type(0)
    counted = ops.iota(shape=(count,), dimension=0, dtype=wanted)
    if by != 1:
        counted = ops.multiply(counted, wanted.type(by))
    return (
        counted
        if isinstance(first, int) and first == 0
        else ops.add(counted, size_scalar(first, wanted))
    )


@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Device = None,
) -> Array: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: int = 0,
    device: Device = None,
) -> tuple[Array, Array]: ...
@composed
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Device = None,
) -> Array | tuple[Array, Array]:
    """Return evenly spaced numbers from `start` to `stop`.

    Args:
        start: the first number; an array gives several ranges.
        stop: the last number, or with `endpoint=False` the bound after it.
        num: the number of numbers.
        endpoint: whether `stop` is included.
        retstep: whether to return the step, too.
        dtype: the dtype of the result; a floating one if None.
        axis: the axis of the result for the numbers.
        device: the device or sharding of the result; the default device by default.

    Returns:
        An array with `num` elements along the axis; with `retstep` a pair of it and the step.

    Raises:
        ArgumentError: the number of samples is negative.

    Example:
        >>> print(linspace(0, 1, 3))
        [0.  0.5 1. ]
    """
    flags("linspace", endpoint=endpoint, retstep=retstep)
    num = integer("linspace", "num", num)
    count = as_index("linspace", "num", num)
    if count < 0:
        raise ArgumentError(f"linspace: number of samples, {count}, must be non-negative")
    wanted = as_dtype("linspace", dtype)
    low, high = broadcast(
        "linspace",
        promote_operands([coerce("linspace", 0, start), coerce("linspace", 1, stop)], True),
    )
    working = low.dtype
    low, high = converted(low, working), converted(high, working)
    shape = low.shape or high.shape
    low, high = broadcast_to_shape(low, shape), broadcast_to_shape(high, shape)
    divisions = count - 1 if endpoint else count
    step = (
        ops.divide(ops.subtract(high, low), working.type(divisions))
        if divisions > 0
        else filled(shape, working.type(np.nan))
    )
    if divisions > 0:
        # In units of a power of two, which are exact: neither products overflow, nor is a share rounded.
        unit = 0.5 ** divisions.bit_length()
        whole = working.type(divisions * unit)
        share = ops.multiply(
            ops.iota(shape=(divisions,), dimension=0, dtype=working), working.type(unit)
        )
        full_shape = (divisions, *shape)
        part = ops.broadcast_in_dim(share, shape=full_shape, dimensions=(0,))
        spread = [
            ops.broadcast_in_dim(x, shape=full_shape, dimensions=tuple(range(1, len(full_shape))))
            for x in (low, high)
        ]
        points = ops.divide(
            ops.add(
                ops.multiply(spread[0], ops.subtract(whole, part)), ops.multiply(spread[1], part)
            ),
            whole,
        )
        # The first is `low` itself, which the product with `whole` has rounded.
        points = ops.select(ops.compare(part, working.type(0), direction="eq"), spread[0], points)
        if endpoint:
            points = ops.concatenate([points, ops.reshape(high, shape=(1, *shape))], dimension=0)
    else:
        points = (
            ops.reshape(low, shape=(1, *shape)) if count else filled((0, *shape), working.type(0))
        )
    if wanted is not None and wanted != working:
        if is_integer(wanted) and is_floating(working):
            points = ops.floor(points)
        points = ops.convert(points, dtype=wanted)
    place = as_axis("linspace", axis, len(shape) + 1)
    order = [*range(1, len(shape) + 1)]
    order.insert(place, 0)
    result = placed(
        points if place == 0 else ops.transpose(points, permutation=tuple(order)), device
    )
    return (result, step) if retstep else result


@composed
def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """Return `num` numbers from `base ** start` to `base ** stop` whose logarithms are evenly spaced.

    Example:
        >>> print(logspace(0, 2, 3).round(3))
        [  1.  10. 100.]
    """
    flags("logspace", endpoint=endpoint)
    num = integer("logspace", "num", num)
    points = power(base, linspace(start, stop, num, endpoint, axis=axis))
    wanted = as_dtype("logspace", dtype)
    return points if wanted is None else ops.convert(points, dtype=wanted)


@composed
def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """Return `num` numbers from `start` to `stop`, each the same multiple of the one before.

    `start` and `stop` may be arrays, which broadcast; `axis` is the axis of the numbers. Real limits need one sign:
    where signs differ, or one of them is 0, the numbers between are NaN (NumPy refuses 0). The limits themselves are
    exact.

    Raises:
        ArgumentError: the number of samples is negative.

    Example:
        >>> print(geomspace(1, 1000, 4).round(2))
        [   1.   10.  100. 1000.]
    """
    flags("geomspace", endpoint=endpoint)
    num = integer("geomspace", "num", num)
    check_settings("geomspace", start, stop, ranks=True)
    start, stop = promote("geomspace", start, stop, inexact=True)
    signs = sign(start)
    points = exp(
        linspace(log(divide(start, signs)), log(divide(stop, signs)), num, endpoint, axis=axis)
    )
    along = as_axis("geomspace", axis, points.ndim)
    outer = tuple([i for i in range(points.ndim) if i != along])

    def for_each(x: Operand) -> Array:
        one = broadcast_to_shape(x, tuple([points.shape[i] for i in outer]))
        return ops.broadcast_in_dim(one, shape=points.shape, dimensions=outer)

    whole = counting((num,))
    place = ops.iota(shape=points.shape, dimension=along, dtype=whole)
    at_start = ops.compare(place, whole.type(0), direction="eq")
    points = multiply(points, for_each(signs))
    points = ops.select(at_start, for_each(start), points)  # the limits are exact
    if endpoint and num > 1:
        at_stop = ops.compare(place, whole.type(num - 1), direction="eq")
        points = ops.select(at_stop, for_each(stop), points)
    wanted = as_dtype("geomspace", dtype)
    return points if wanted is None else ops.convert(points, dtype=wanted)
