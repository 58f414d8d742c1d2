"""From what users pass to what primitives take: operands of one element type, of one shape or scalar.

Primitives promote nothing and broadcast nothing. Here Python scalars become scalars of the element type that
the arrays beside them have (they are weak), element types meet by the promotion lattice, and shapes meet by
NumPy's rule. Scalars need no broadcasting: elementwise primitives take them beside arrays.

New arrays from host data are made by one function, `make_array`, which the facade replaces by the runtime's.

Long because all ways from users' values to operands stand in one place, and no function has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    DType,
    EvalTrace,
    Literal,
    Primitive,
    ShapeError,
    Tracer,
    canonical_dtype,
    constant_array,
    current_trace,
    default_dtype,
    inexact_dtype,
    out_of_range,
    promoted,
    scalar_type,
)
from treadle_ir.dtypes import is_bool, is_complex
from treadle_ir.primitives.shape import BroadcastInDim

Elements: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
ArrayLike: TypeAlias = (
    "Array | np.ndarray[Any, np.dtype[Any]] | np.generic[Any] | bool | int | float | complex"
)
Shape: TypeAlias = "int | Sequence[int]"
Axis: TypeAlias = "int | Sequence[int] | None"


class _Instructions(Protocol):
    """`treadle_ir.ops` as this package sees it: what comes out is an array to users."""

    def __getattr__(self, name: str) -> Callable[..., Array]: ...


if TYPE_CHECKING:
    ops: _Instructions
else:
    from treadle_ir import ops as ops


def _copied(elements: Elements, weak: bool) -> Array:
    """The NumPy array itself: what concrete arrays are under the reference evaluator."""
    return cast("Array", elements.copy())


make_array: Callable[[Elements, bool], Array] = (
    _copied  # the facade installs the runtime's: `install_make_array`
)


def install_make_array(function: Callable[[Elements, bool], Array]) -> None:
    """Say how an array is made from host elements that the caller gives away, and a weak mark."""
    global make_array
    make_array = function


def made(elements: Elements, weak: bool = False) -> Array:
    """A new array of these elements."""
    return make_array(elements, weak)


def on_host() -> bool:
    """Whether nothing transforms what runs now, so that constants may be made by NumPy at once."""
    return type(current_trace()) is EvalTrace


def bind(primitive: Primitive, *operands: object) -> Array:
    """The only result of a primitive under the current trace."""
    return cast("Array", current_trace().process(primitive, cast("Any", operands))[0])


Plans: TypeAlias = "dict[Any, Any]"
"""By the type of an operand and what else decides: the primitives, made already, that an operation comes to."""


def remember(plans: Plans, key: Any, plan: Any) -> None:
    """Keep a plan for the next time; a table that has grown large starts anew."""
    if len(plans) >= 4096:
        plans.clear()
    plans[key] = plan


def host_elements(x: object) -> Elements | None:
    """The elements of a value, if there are any, as a NumPy array."""
    if isinstance(x, Tracer):
        return x.concrete()
    if isinstance(x, Literal):
        return np.asarray(x.value)
    return np.asarray(x)


def is_array_like(x: object) -> bool:
    """Whether it is an array or a scalar, which functions take without being asked."""
    return isinstance(x, (Array, np.ndarray, np.generic, bool, int, float, complex, Literal))


def canonical_elements(elements: Any) -> Any:
    """A NumPy array or scalar in native byte order and, with 32-bit types in force, not wider than that."""
    dtype = elements.dtype
    wanted = canonical_dtype(dtype if dtype.isnative else dtype.newbyteorder("="))
    return elements if wanted is dtype else elements.astype(wanted)


def weak_scalar(value: bool | int | float | complex) -> Literal:
    """A Python scalar as an operand that stays weak.

    Raises:
        RangeError: it does not fit the default type of its kind.
    """
    type = scalar_type(value)
    try:
        return Literal(type.dtype.type(value), type)
    except OverflowError as error:
        raise out_of_range(error) from None


def coerce(function: str, position: int, x: object) -> Any:
    """One argument as an operand of canonical element type; Python scalars become weak literals.

    Raises:
        ArgumentError: it is no array and no scalar.
    """
    if isinstance(x, Array):
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        return canonical_elements(x)
    if isinstance(x, (bool, int, float, complex)):
        return weak_scalar(x)
    if isinstance(x, Literal):
        return x
    convert = getattr(type(x), "__jax_array__", None)
    if convert is not None:
        return coerce(function, position, convert(x))
    raise refused(function, position, x)


def refused(function: str, position: int, x: object) -> ArgumentError:
    """The error for an argument that is no array and no scalar."""
    if isinstance(x, (list, tuple)):
        fix = "make it an array first: `treadle.numpy.array(...)`; sequences are not converted by themselves"
    elif x is None:
        fix = "pass an array or a number; None often comes from a function that forgot to return"
    else:
        fix = "pass an array, a NumPy array or a number; read the array out of the object first"
    return ArgumentError(
        f"{function} requires ndarray or scalar arguments, got {type(x)} at position {position}",
        fix=fix,
    )


def operand_type(operand: Any) -> ArrayType:
    """The type of a coerced operand."""
    if isinstance(operand, (np.ndarray, np.generic)):
        return ArrayType(operand.shape, operand.dtype)
    return cast("ArrayType", operand.type)


def with_dtype(operand: Any, type: ArrayType, dtype: DType, weak: bool) -> Any:
    """A coerced operand in another element type; host scalars are converted here, arrays by `ops.convert`."""
    if type.dtype is dtype or type.dtype == dtype:
        return operand if weak or not isinstance(operand, Literal) else operand.value
    if isinstance(operand, Literal):
        value = operand.value.astype(dtype)
        return Literal(value, ArrayType((), dtype, True)) if weak else value
    if isinstance(operand, (np.ndarray, np.generic)) and dtype.kind == type.dtype.kind == "f":
        return operand.astype(dtype)
    return ops.convert(operand, dtype=dtype, weak=weak)


def promote(function: str, *arguments: object, inexact: bool = False) -> list[Any]:
    """Arguments as operands of one element type (a floating or complex one if `inexact`), shapes as they are."""
    operands = [coerce(function, position, x) for position, x in enumerate(arguments)]
    return promote_operands(operands, inexact)


def promote_operands(operands: Sequence[Any], inexact: bool = False) -> list[Any]:
    """Coerced operands in the element type they meet in."""
    types = [operand_type(operand) for operand in operands]
    dtype, weak = promoted(types)
    if inexact:
        dtype = inexact_dtype(dtype)
    return [
        with_dtype(operand, type, dtype, weak)
        for operand, type in zip(operands, types, strict=True)
    ]


def promote_shapes(function: str, *arguments: object, inexact: bool = False) -> list[Any]:
    """Arguments as elementwise primitives take them: one element type, one shape or scalar."""
    return broadcast(function, promote(function, *arguments, inexact=inexact))


def broadcast(function: str, operands: list[Any]) -> list[Any]:
    """Coerced operands of one shape, scalars left alone.

    Raises:
        ShapeError: NumPy's rule finds no common shape.
    """
    shapes = {shape for operand in operands if (shape := shape_of(operand))}
    if len(shapes) < 2:
        return operands
    shape = common_shape(function, [shape_of(operand) for operand in operands])
    return [broadcast_to_shape(x, shape) if shape_of(x) else x for x in operands]


def shape_of(operand: Any) -> tuple[int, ...]:
    """The shape of a coerced operand."""
    return cast(
        "tuple[int, ...]", operand.type.shape if isinstance(operand, Literal) else operand.shape
    )


def common_shape(function: str, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that shapes broadcast to.

    Raises:
        ShapeError: two sizes of an axis differ and neither is 1.
    """
    ndim = max(map(len, shapes), default=0)
    result = [1] * ndim
    for shape in shapes:
        for axis, size in enumerate(shape, ndim - len(shape)):
            if size != 1:
                if result[axis] not in (1, size):
                    listed = ", ".join(map(str, shapes))
                    raise ShapeError(
                        f"{function} got incompatible shapes for broadcasting: {listed}",
                        fix="sizes of an axis, counted from the last one, must be equal or 1: reshape, or add axes "
                        "with `x[:, None]`",
                    )
                result[axis] = size
    return tuple(result)


def broadcast_to_shape(x: Any, shape: tuple[int, ...]) -> Any:
    """An operand spread over a shape that it broadcasts to."""
    own = shape_of(x)
    if own == shape:
        return x
    first = len(shape) - len(own)
    return ops.broadcast_in_dim(x, shape=shape, dimensions=tuple(range(first, len(shape))))


_SPREADS: Final[Plans] = {}


def spread_pair(function: str, x: Array, y: Array) -> tuple[Any, Any]:
    """Two arrays as operands of one shape, scalars left alone: `broadcast` for the operators, which are a hot path.

    Raises:
        ShapeError: NumPy's rule finds no common shape.
    """
    shapes = x.type.shape, y.type.shape
    plan = _SPREADS.get(shapes)
    if plan is None:
        shape = common_shape(function, shapes)
        plan = tuple([_spreading(own, shape) for own in shapes])
        remember(_SPREADS, shapes, plan)
    spread_x, spread_y = plan
    process = current_trace().process
    if spread_x is not None:
        x = process(spread_x, (x,))[0]  # type: ignore[assignment]
    if spread_y is not None:
        y = process(spread_y, (y,))[0]  # type: ignore[assignment]
    return x, y


def _spreading(own: tuple[int, ...], shape: tuple[int, ...]) -> Primitive | None:
    """What spreads an array over a shape; None for one that has it, and for a scalar."""
    if not own or own == shape:
        return None
    return BroadcastInDim(shape, tuple(range(len(shape) - len(own), len(shape))))


def as_shape(function: str, shape: object) -> tuple[int, ...]:
    """A shape argument as a tuple of ints; concrete arrays and tracers count as their elements.

    Raises:
        ArgumentError: a size is no integer; ShapeError: a size is negative.
    """
    if isinstance(shape, tuple):
        for size in shape:
            if size.__class__ is not int or size < 0:
                break
        else:  # as nearly always
            return (*shape,)
    sizes: Iterable[Any]
    try:
        sizes = (shape.__index__(),)  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        if isinstance(shape, Array) and not shape.ndim:
            raise  # it says itself why it is no integer
        if isinstance(shape, str) or not isinstance(shape, Iterable):
            raise ArgumentError(
                f"{function}: a shape is an integer or a sequence of integers, got {shape!r} of {type(shape)}",
                fix="shapes are integers known before the program runs: convert with int(...)",
            ) from None
        sizes = shape
    result = tuple([as_index(function, "a size", size) for size in sizes])
    if any(size < 0 for size in result):
        raise ShapeError(
            f"{function}: the shape {result} has a negative size",
            fix="sizes are 0 or more; only reshape takes -1, for the size that follows from the others",
        )
    return result


def as_index(function: str, what: str, value: Any) -> int:
    """A Python integer from whatever stands for one; a tracer's own error tells what to do.

    Raises:
        ArgumentError: it does not stand for an integer.
    """
    try:
        return int(value.__index__())
    except AttributeError:
        raise ArgumentError(
            f"{function}: {what} must be an integer, got {value!r} of {type(value)}",
            fix="shapes and axes are integers known before the program runs: convert with int(...)",
        ) from None


class AxisError(ShapeError, ValueError, IndexError):
    """An axis that the array does not have."""


def as_axis(function: str, axis: Any, ndim: int) -> int:
    """A non-negative axis.

    Raises:
        AxisError: the array has no such axis.
    """
    index = as_index(function, "an axis", axis)
    if not -ndim <= index < ndim:
        raise AxisError(
            f"{function}: axis {index} is out of bounds for array of dimension {ndim}",
            fix=f"axes are {-ndim} to {ndim - 1}" if ndim else "a scalar has no axes",
        )
    return index + ndim if index < 0 else index


def as_axes(function: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """All the axes that an `axis` argument names, in its order; None names all.

    Raises:
        AxisError: the array has no such axis; ArgumentError: an axis is named twice.
    """
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, (tuple, list)):
        axes = tuple([as_axis(function, each, ndim) for each in axis])
        if len(set(axes)) != len(axes):
            raise DuplicateError(
                f"{function}: axes {tuple(axis)} name one axis twice",
                fix="name each axis once; negative ones count from the last",
            )
        return axes
    return (as_axis(function, axis, ndim),)


class DuplicateError(ArgumentError, ValueError):
    """An axis named twice."""


class ValueArgumentError(ArgumentError, ValueError):
    """An argument of the right kind with a value that the function cannot take."""


def named_only(function: str, **arguments: object) -> None:
    """Refuse arguments that exist for NumPy's sake only (`out`, `order`, `where` of ufuncs).

    Raises:
        UnsupportedError: one of them is given.
    """
    for name, value in arguments.items():
        if value is not None:
            raise UnsupportedError(
                f"{function}: the argument `{name}` is not supported",
                fix="arrays never change: use the result of the function"
                if name == "out"
                else None,
            )


class UnsupportedError(ArgumentError, NotImplementedError):
    """An argument or a value of NumPy's or JAX's that treadle has not (yet)."""


def array_of(operand: Any) -> Array:
    """A coerced operand as an array: tracers and arrays as they are, NumPy's and scalars made into one."""
    if isinstance(operand, Array):
        return operand
    if isinstance(operand, Literal):
        return made(np.asarray(operand.value), operand.type.weak)
    if isinstance(operand, np.ndarray) and make_array is _copied:
        return cast("Array", operand)  # under the reference evaluator it is an array already
    if isinstance(operand, np.ndarray):
        return constant_array(operand, _made_copy)
    return made(np.array(operand))


def _made_copy(elements: Elements) -> Array:
    return made(np.array(elements))


def filled(shape: tuple[int, ...], value: Any) -> Array:
    """An array of one value, a scalar operand of the element type it shall have."""
    if on_host() and (isinstance(value, np.generic) or not isinstance(value, Array)):
        scalar = value.value if isinstance(value, Literal) else value
        elements = np.empty(shape, scalar.dtype)
        elements[...] = scalar
        return made(elements, isinstance(value, Literal) and value.type.weak)
    if not shape:
        return (
            array_of(value)
            if isinstance(value, Array)
            else ops.broadcast_in_dim(value, shape=(), dimensions=())
        )
    return ops.broadcast_in_dim(value, shape=shape, dimensions=())


def converted(operand: Any, dtype: DType) -> Any:
    """A coerced operand in an element type, no longer weak."""
    type = operand_type(operand)
    if isinstance(operand, Literal):
        return operand.value.astype(dtype)
    if type.dtype == dtype and not type.weak:
        return operand
    if isinstance(operand, np.generic):
        return (
            np.asarray(ops.convert(operand, dtype=dtype))[()]
            if on_host()
            else ops.convert(operand, dtype=dtype)
        )
    return ops.convert(operand, dtype=dtype)


def array_from(function: str, x: Any, dtype: DType | None) -> Array:
    """An array from an array, a scalar or nested sequences of them, in an element type if one is given.

    Raises:
        ArgumentError: something in it is no array, scalar or sequence; ShapeError: sequences of unequal lengths.
    """
    if x.__class__ is np.ndarray and dtype is None:
        return constant_array(x, _from_user)
    if isinstance(x, (Array, Literal)):
        return array_of(x if dtype is None else converted(x, dtype))
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic):
        if dtype is None:
            return array_of(weak_scalar(x))
        refuse_complex(function, x, dtype)
        return made(_host_scalar(x, dtype))
    if isinstance(x, (np.ndarray, np.generic)):
        elements = np.asarray(x)
        if dtype is not None and elements.dtype != dtype:
            return array_of(converted(canonical_elements(elements), dtype))
        return constant_array(elements, _from_user)
    if isinstance(x, (list, tuple)):
        return _from_sequence(function, x, dtype)
    convert = getattr(type(x), "__jax_array__", None)
    if convert is not None:
        return array_from(function, convert(x), dtype)
    if getattr(type(x), "__array__", None) is not None or isinstance(x, (memoryview, bytearray)):
        return array_from(function, np.asarray(x), dtype)
    if isinstance(x, range):
        return _from_sequence(function, list(x), dtype)
    raise refused(function, 0, x)


def _from_user(elements: Elements) -> Array:
    """An array of elements that the user may write to later."""
    return make_array(np.array(canonical_elements(elements)), False)


def refuse_complex(function: str, x: object, dtype: DType) -> None:
    """Refuse a complex number of Python's for an element type that would lose its imaginary part without a word."""
    if isinstance(x, complex) and not is_complex(dtype) and not is_bool(dtype):
        raise ArgumentError(
            f"{function}: {x} is complex, but the element type is {dtype}",
            fix="pass its real part, or a complex element type",
        )


def _host_scalar(x: Any, dtype: DType) -> Elements:
    if dtype.kind in "iu" and isinstance(x, int):
        return np.asarray(x, dtype)  # NumPy refuses what does not fit
    return np.asarray(x).astype(dtype)


def _from_sequence(function: str, x: Sequence[Any], dtype: DType | None) -> Array:
    """An array from nested sequences: by NumPy when all is on the host, else by stacking."""
    leaves = _leaves(x)
    if not any(isinstance(leaf, Array) for leaf in leaves):
        for leaf in leaves:
            if not is_array_like(leaf) and getattr(type(leaf), "__array__", None) is None:
                raise refused(function, 0, leaf)
        if dtype is None:
            if leaves and all(
                isinstance(leaf, SCALARS) and not isinstance(leaf, np.generic) for leaf in leaves
            ):
                kind = max(
                    (kind for leaf in leaves for kind in SCALARS if isinstance(leaf, kind)),
                    key=_rank,
                )
                if kind is int and all(isinstance(leaf, bool) for leaf in leaves):
                    kind = bool
                dtype = default_dtype(kind)
            elif leaves:
                dtype = promoted(
                    [operand_type(coerce(function, 0, _plain(leaf))) for leaf in leaves]
                )[0]
            else:
                dtype = default_dtype(float)
        try:
            elements = np.array(x)
        except ValueError:
            raise ShapeError(
                f"{function}: nested sequences have unequal lengths, so they make no array",
                fix="pad them to one length, or keep a list of arrays",
            ) from None
        if elements.dtype.kind in "iu" and dtype.kind in "iu" and elements.dtype != dtype:
            try:
                return made(np.array(x, dtype))  # NumPy refuses integers that do not fit
            except OverflowError as error:
                raise out_of_range(error) from None
        return made(elements.astype(dtype))
    return _stacked(function, x, dtype)


_RANKS: Final = {bool: 0, int: 1, float: 2, complex: 3}


def _rank(kind: type) -> int:
    return _RANKS[kind]


def _plain(leaf: Any) -> Any:
    return leaf if is_array_like(leaf) else np.asarray(leaf)


def _leaves(x: Sequence[Any]) -> list[Any]:
    """What stands in nested sequences, without recursion."""
    leaves: list[Any] = []
    waiting: list[Any] = [x]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (list, tuple)):
            waiting.extend(reversed(each))
        else:
            leaves.append(each)
    return leaves


def _stacked(function: str, x: Sequence[Any], dtype: DType | None) -> Array:
    """An array from nested sequences with arrays among them: the leaves, one after the other, in one shape."""
    leaves = [coerce(function, 0, leaf) for leaf in _leaves(x)]
    outer: list[int] = []
    level: Any = x
    while isinstance(level, (list, tuple)):
        outer.append(len(level))
        level = level[0] if level else None
    inner = {shape_of(leaf) for leaf in leaves}
    count = 1
    for size in outer:
        count *= size
    if len(inner) != 1 or count != len(leaves):
        raise ShapeError(
            f"{function}: the parts of a sequence have unequal shapes {sorted(inner)}, so they make no array",
            fix="reshape or pad the parts to one shape",
        )
    if dtype is None:
        common, _ = promoted([operand_type(leaf) for leaf in leaves])
    else:
        common = dtype
    shape = inner.pop()
    parts = [ops.reshape(converted(leaf, common), shape=(1, *shape)) for leaf in leaves]
    joined = parts[0] if len(parts) == 1 else ops.concatenate(parts, dimension=0)
    return ops.reshape(joined, shape=(*outer, *shape))


SCALARS: Final = (bool, int, float, complex)
