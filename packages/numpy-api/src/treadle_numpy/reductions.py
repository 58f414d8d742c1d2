"""Reductions and running sums: sum, prod, max, min, all, any, argmax, cumsum and their relatives.

Long because NumPy gives each reduction, and its twin that passes over NaN, a signature of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np

from treadle_ir import (
    Array,
    ArrayType,
    DType,
    Primitive,
    canonical_dtype,
    current_trace,
    default_dtype,
    x64_enabled,
)
from treadle_ir.dtypes import (
    BY_NAME,
    is_bool,
    is_complex,
    is_inexact,
    is_integer,
    is_unsigned,
    real_part,
)
from treadle_ir.primitives import elementwise, reduce as primitives
from treadle_ir.primitives.shape import Reshape
from treadle_numpy.coercion import (
    ArrayLike,
    Axis,
    Plans,
    ValueArgumentError,
    array_of,
    as_axes,
    as_axis,
    bind,
    broadcast_to_shape,
    coerce,
    common_shape,
    converted,
    named_only,
    operand_type,
    ops,
    remember,
    shape_of,
)
from treadle_numpy.dtypes import DTypeLike, as_dtype
from treadle_numpy.elementwise import maximum, minimum
from treadle_numpy.logic import isnan, logical_and, logical_or, truth


def _keep(x: Array, type: ArrayType, axes: tuple[int, ...], keepdims: bool) -> Array:
    return ops.reshape(x, shape=kept_shape(type.shape, axes)) if keepdims else x


def kept_shape(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with size 1 for the axes that were reduced."""
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])


def sorted_axes(name: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that an `axis` argument names, ascending; None names all.

    Raises:
        AxisError: the array has no such axis; ArgumentError: an axis is named twice.
    """
    if axis is None:
        return tuple(range(ndim))
    if type(axis) is int and -ndim <= axis < ndim:
        return (axis if axis >= 0 else axis + ndim,)
    return tuple(sorted(as_axes(name, axis, ndim)))


def _selected(name: str, operand: Any, where: Any, identity: Any) -> Any:
    """The operand with the identity of the reduction where `where` is false."""
    condition = truth(name, 1, where)
    shape = common_shape(name, [shape_of(operand), shape_of(condition)])
    operand = broadcast_to_shape(operand, shape)
    if shape_of(condition):
        condition = broadcast_to_shape(condition, shape)
    return ops.select(condition, operand, identity)


def _sum_dtype(dtype: DType) -> DType:
    """The element type that a sum is computed in: narrow integers are widened to 32 (or 64) bits."""
    if is_bool(dtype):
        return default_dtype(int)
    if is_integer(dtype):
        wide = canonical_dtype(BY_NAME["u64" if is_unsigned(dtype) else "i64"])
        return wide if wide.itemsize > dtype.itemsize else dtype
    return dtype


def _accumulation(
    name: str,
    reduction: Callable[[tuple[int, ...]], Any],
    identity: int,
    combine: Callable[[], Any],
) -> Callable[..., Array]:
    def reduce(
        a: Any,
        axis: Any,
        dtype: DTypeLike | None,
        keepdims: bool,
        initial: Any,
        where: Any,
        promote_integers: bool,
    ) -> Array:
        operand = coerce(name, 0, a)
        type = operand_type(operand)
        wide = type.dtype
        if dtype is not None:
            wide = as_dtype(name, dtype) or wide
            if is_bool(wide):  # sums of truth are whether any is true, products whether all are
                if initial is not None:
                    operand = (logical_and if identity else logical_or)(operand, initial)
                return _truth_reduction(name, operand, axis, keepdims, where, bool(identity))
        elif (promote_integers and not is_inexact(wide)) or is_bool(wide):
            wide = _sum_dtype(wide)
        operand = converted(operand, wide)  # not weak, as JAX has it
        if where is not None:
            operand = _selected(name, operand, where, operand_type(operand).dtype.type(identity))
            type = operand_type(operand)
        axes = sorted_axes(name, axis, type.ndim)
        result = bind(reduction(axes), operand)
        if initial is not None:
            start = converted(coerce(name, 3, initial), operand_type(result).dtype)
            result = bind(combine(), result, start)
        return _keep(result, type, axes, keepdims)

    return reduce


_sum = _accumulation("sum", primitives.ReduceAdd, 0, elementwise.Add)
_prod = _accumulation("prod", primitives.ReduceMultiply, 1, elementwise.Multiply)
_ORDERED: Final = frozenset([BY_NAME[name] for name in ("f32", "f64", "i32", "u32")])
_PLAIN: Final = frozenset(
    [BY_NAME[name] for name in ("f32", "f64", "c64")]
)  # others take more primitives


def planned(
    name: str, reduction: Callable[[tuple[int, ...]], Primitive], dtypes: frozenset[DType]
) -> Callable[[Any, Any, bool], Array | None]:
    """A reduction of an array along one axis or all, if it is one primitive and at most a reshape; else None.

    They are remembered by the type of the array, the axis and whether it is kept.
    """
    plans: Plans = {}

    def plan_for(x: Any, axis: int | None, keepdims: bool) -> Any:
        type = getattr(x, "type", None)
        if type.__class__ is not ArrayType or type.dtype not in dtypes:
            return None
        if type.weak or not type.size:
            return None
        axes = sorted_axes(name, axis, type.ndim)
        plan = reduction(axes), Reshape(kept_shape(type.shape, axes)) if keepdims else None
        remember(plans, (type, axis, keepdims), plan)
        return plan

    def reduce(x: Any, axis: Any, keepdims: bool) -> Array | None:
        if axis is not None and axis.__class__ is not int:
            return None
        try:
            plan = plans[x.type, axis, keepdims]
        except (AttributeError, KeyError):
            plan = None
        if plan is None:  # not within the `except`: errors would come with a KeyError of ours
            plan = plan_for(x, axis, keepdims)
            if plan is None:
                return None
        first, reshape = plan
        process = current_trace().process
        result = process(first, (x,))
        if reshape is not None:
            result = process(reshape, result)
        return cast("Array", result[0])

    return reduce


_plain_sum: Final = planned("sum", primitives.ReduceAdd, _PLAIN)
_plain_count: Final = planned(
    "sum", primitives.ReduceAdd, _ORDERED
)  # while integers are not widened
_plain_max: Final = planned("max", primitives.ReduceMaximum, _ORDERED)
_plain_min: Final = planned("min", primitives.ReduceMinimum, _ORDERED)


def sum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """The sum along some axes (all, by default).

    Example:
        >>> print(sum(np.ones((2, 3), np.float32), axis=0))
        [2. 2. 2.]
    """
    if dtype is out is None and initial is None and where is None:
        found = _plain_sum(a, axis, keepdims)
        if found is None and not x64_enabled():
            found = _plain_count(a, axis, keepdims)
        if found is not None:
            return found
    named_only("sum", out=out)
    return _sum(a, axis, dtype, keepdims, initial, where, promote_integers)


def prod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """The product along some axes (all, by default).

    Example:
        >>> print(prod(np.array([2.0, 3.0], np.float32)))
        6.0
    """
    named_only("prod", out=out)
    return _prod(a, axis, dtype, keepdims, initial, where, promote_integers)


def _extreme(
    name: str, a: Any, axis: Any, keepdims: bool, initial: Any, where: Any, largest: bool
) -> Array:
    if initial is where is None:
        found = _plain_max(a, axis, keepdims) if largest else _plain_min(a, axis, keepdims)
        if found is not None:
            return found
    operand = coerce(name, 0, a)
    type = operand_type(operand)
    if type.weak:
        operand = converted(operand, type.dtype)
    if where is not None:
        if initial is None:
            raise ValueArgumentError(
                f"{name}: `where` needs `initial`, the value where no element is selected",
                fix="pass `initial` (-inf for max, inf for min)",
            )
        operand = _selected(name, operand, where, converted(coerce(name, 3, initial), type.dtype))
        type = operand_type(operand)
    axes = sorted_axes(name, axis, type.ndim)
    if initial is None and 0 in [type.shape[i] for i in axes]:
        raise ValueArgumentError(
            f"zero-size array to reduction operation {name} which has no identity",
            fix="pass `initial`, or check the size before",
        )
    if is_complex(type.dtype):
        result = _complex_extreme(operand, axes, largest)
    else:
        result = bind(
            primitives.ReduceMaximum(axes) if largest else primitives.ReduceMinimum(axes), operand
        )
    if initial is not None:
        start = converted(coerce(name, 3, initial), type.dtype)
        result = (maximum if largest else minimum)(result, start)
    return _keep(result, type, axes, keepdims)


def _leaders(operand: Any, axes: tuple[int, ...], largest: bool) -> tuple[Array, Array, Array]:
    """The extreme real parts of complex numbers; the imaginary parts, without hope where the real part is no extreme;
    and where one of both is NaN.
    """
    type = operand_type(operand)
    real = ops.real(operand)
    best = bind((primitives.ReduceMaximum if largest else primitives.ReduceMinimum)(axes), real)
    spread = broadcast_to_shape(ops.reshape(best, shape=kept_shape(type.shape, axes)), type.shape)
    hopeless = real_part(type.dtype).type(-np.inf if largest else np.inf)
    first = ops.compare(real, spread, direction="eq")
    return best, ops.select(first, ops.imag(operand), hopeless), isnan(operand)


def _complex_extreme(operand: Any, axes: tuple[int, ...], largest: bool) -> Array:
    """The extreme of complex numbers, which are ordered by real part, then by imaginary part; NaN if there is one."""
    best, imaginary, missing = _leaders(operand, axes, largest)
    reduction = (primitives.ReduceMaximum if largest else primitives.ReduceMinimum)(axes)
    result = ops.complex(best, bind(reduction, imaginary))
    nothing = operand_type(operand).dtype.type(complex(np.nan, np.nan))
    return ops.select(bind(primitives.ReduceOr(axes), missing), nothing, result)


def max(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The greatest element along some axes (all, by default); NaN if there is one.

    Example:
        >>> print(max(np.array([1, 3, 2], np.int32)))
        3
    """
    named_only("max", out=out)
    return _extreme("max", a, axis, keepdims, initial, where, True)


def min(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The least element along some axes (all, by default); NaN if there is one."""
    named_only("min", out=out)
    return _extreme("min", a, axis, keepdims, initial, where, False)


amax, amin = max, min


def _truth_reduction(
    name: str, a: Any, axis: Any, keepdims: bool, where: Any, every: bool
) -> Array:
    operand = truth(name, 0, a)
    if where is not None:
        operand = _selected(name, operand, where, np.bool_(every))
    type = operand_type(operand)
    axes = sorted_axes(name, axis, type.ndim)
    result = bind(primitives.ReduceAnd(axes) if every else primitives.ReduceOr(axes), operand)
    return _keep(result, type, axes, keepdims)


def all(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Whether all elements along some axes are true (not zero).

    Example:
        >>> print(all(np.array([True, False])))
        False
    """
    named_only("all", out=out)
    return _truth_reduction("all", a, axis, keepdims, where, True)


def any(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Whether any element along some axes is true (not zero)."""
    named_only("any", out=out)
    return _truth_reduction("any", a, axis, keepdims, where, False)


def count_nonzero(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """The number of elements that are not zero."""
    return sum(truth("count_nonzero", 0, a), axis, default_dtype(int), keepdims=keepdims)


def _position(name: str, a: Any, axis: Any, keepdims: bool | None, largest: bool) -> Array:
    operand = array_of(coerce(name, 0, a))
    type = operand_type(operand)
    along = 0 if axis is None else as_axis(name, axis, type.ndim)
    if axis is None:
        operand = ops.reshape(operand, shape=(type.size,))
    if operand.shape[along] == 0:
        raise ValueArgumentError(
            f"attempt to get {name} of an empty sequence", fix="check the size before"
        )
    if is_bool(type.dtype):
        operand = ops.convert(operand, dtype=np.dtype(np.int32))
    if is_complex(type.dtype):
        _, imaginary, missing = _leaders(operand, (along,), largest)
        operand = ops.select(missing, real_part(type.dtype).type(np.nan), imaginary)
    dtype = default_dtype(int)
    result = (
        ops.argmax(operand, axis=along, dtype=dtype)
        if largest
        else ops.argmin(operand, axis=along, dtype=dtype)
    )
    axes = tuple(range(type.ndim)) if axis is None else (along,)
    return _keep(result, type, axes, bool(keepdims))


def argmax(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """The position of the greatest element (of the first NaN, if there is one), in the flat array by default.

    Example:
        >>> print(argmax(np.array([1, 3, 2], np.int32)))
        1
    """
    named_only("argmax", out=out)
    return _position("argmax", a, axis, keepdims, True)


def argmin(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """The position of the least element (of the first NaN, if there is one), in the flat array by default."""
    named_only("argmin", out=out)
    return _position("argmin", a, axis, keepdims, False)


def _without_nan(name: str, a: Any, value: float) -> tuple[Any, Any]:
    """The operand with NaN replaced, and where NaN was (None if there can be none)."""
    operand = coerce(name, 0, a)
    dtype = operand_type(operand).dtype
    if not is_inexact(dtype):
        return operand, None
    missing = isnan(operand)
    return ops.select(missing, dtype.type(value), operand), missing


def _nan_position(name: str, a: Any, axis: Any, keepdims: bool | None, largest: bool) -> Array:
    operand, missing = _without_nan(name, a, -np.inf if largest else np.inf)
    found = _position(name, operand, axis, keepdims, largest)
    if missing is None:
        return found
    nothing = all(missing, axis, keepdims=bool(keepdims))
    return ops.select(nothing, found.dtype.type(-1), found)


def nanargmax(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """The position of the greatest element that is not NaN; -1 where all are."""
    named_only("nanargmax", out=out)
    return _nan_position("nanargmax", a, axis, keepdims, True)


def nanargmin(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """The position of the least element that is not NaN; -1 where all are."""
    named_only("nanargmin", out=out)
    return _nan_position("nanargmin", a, axis, keepdims, False)


def _nan_extreme(
    name: str, a: Any, axis: Any, keepdims: bool, initial: Any, where: Any, largest: bool
) -> Array:
    operand, missing = _without_nan(name, a, -np.inf if largest else np.inf)
    result = _extreme(name, operand, axis, keepdims, initial, where, largest)
    if missing is None or initial is not None:
        return result
    nothing = all(missing, axis, keepdims=keepdims)
    return ops.select(nothing, operand_type(result).dtype.type(np.nan), result)


def nanmax(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The greatest element that is not NaN; NaN where all are."""
    named_only("nanmax", out=out)
    return _nan_extreme("nanmax", a, axis, keepdims, initial, where, True)


def nanmin(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The least element that is not NaN; NaN where all are."""
    named_only("nanmin", out=out)
    return _nan_extreme("nanmin", a, axis, keepdims, initial, where, False)


def nansum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The sum of the elements that are not NaN.

    Example:
        >>> print(nansum(np.array([1.0, np.nan], np.float32)))
        1.0
    """
    return sum(_without_nan("nansum", a, 0.0)[0], axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The product of the elements that are not NaN."""
    return prod(_without_nan("nanprod", a, 1.0)[0], axis, dtype, out, keepdims, initial, where)


def ptp(a: ArrayLike, axis: Axis = None, out: None = None, keepdims: bool = False) -> Array:
    """The greatest element less the least."""
    named_only("ptp", out=out)
    return ops.subtract(max(a, axis, keepdims=keepdims), min(a, axis, keepdims=keepdims))


def _running(
    name: str,
    instruction: Callable[..., Any],
    of_truths: Callable[..., Any],
    a: Any,
    axis: Any,
    dtype: DTypeLike | None,
) -> Array:
    operand = array_of(coerce(name, 0, a))
    type = operand_type(operand)
    wanted = as_dtype(name, dtype) or (default_dtype(int) if is_bool(type.dtype) else type.dtype)
    truths = is_bool(wanted)  # whether any, or all, have been true so far
    if truths:
        operand = ops.convert(truth(name, 0, operand), dtype=default_dtype(int))
        instruction = of_truths
    else:
        operand = array_of(converted(operand, wanted))
    if axis is None:
        operand = ops.reshape(operand, shape=(type.size,))
    along = 0 if axis is None else as_axis(name, axis, type.ndim)
    result = cast("Array", instruction(operand, axis=along))
    return ops.convert(result, dtype=wanted) if truths else result


def cumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
) -> Array:
    """The running sum along an axis; of the flat array by default.

    Example:
        >>> print(cumsum(np.array([1, 2, 3], np.int32)))
        [1 3 6]
    """
    named_only("cumsum", out=out)
    return _running("cumsum", ops.cumulative_add, ops.cumulative_maximum, a, axis, dtype)


def cumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
) -> Array:
    """The running product along an axis; of the flat array by default."""
    named_only("cumprod", out=out)
    return _running("cumprod", ops.cumulative_multiply, ops.cumulative_minimum, a, axis, dtype)


def nancumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
) -> Array:
    """The running sum in which NaN counts as 0."""
    return cumsum(_without_nan("nancumsum", a, 0.0)[0], axis, dtype, out)


def nancumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
) -> Array:
    """The running product in which NaN counts as 1."""
    return cumprod(_without_nan("nancumprod", a, 1.0)[0], axis, dtype, out)


def _cumulative(
    name: str, x: Any, axis: int | None, dtype: Any, include_initial: bool, start: int
) -> Array:
    operand = array_of(coerce(name, 0, x))
    if operand.ndim == 0:
        raise ValueArgumentError(f"{name}: the input must have at least one dimension")
    if axis is None:
        if operand.ndim > 1:
            raise ValueArgumentError(f"{name}: with more than one dimension, `axis` must be given")
        axis = 0
    if dtype is None and start == 0 and not is_inexact(operand.dtype):
        dtype = _sum_dtype(operand.dtype)
    result = (cumsum if start == 0 else cumprod)(operand, axis, dtype)
    if include_initial:
        along = as_axis(name, axis, operand.ndim)
        shape = kept_shape(operand.shape, (along,))
        first = ops.broadcast_in_dim(result.dtype.type(start), shape=shape, dimensions=())
        result = ops.concatenate([first, result], dimension=along)
    return result


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """The running sum along an axis, with a leading 0 if `include_initial`."""
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial, 0)


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """The running product along an axis, with a leading 1 if `include_initial`."""
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial, 1)
