"""Conversion of users' values to operands and to arrays: the only place where it happens.

`as_operand` returns an operand of a primitive: arrays unchanged, NumPy's arrays and scalars at the width in force,
Python's numbers as weak literals. `as_array` returns an array, which has `x.shape` and `x.dtype` for every value:
transformations pass arrays to users' functions. The installed evaluator makes the arrays (`Evaluator.array`).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from treadle_ir.core.dtypes import is_float0
from treadle_ir.core.promotion import canonical_dtype, scalar_type
from treadle_ir.core.types import ArrayType
from treadle_ir.core.values import Literal
from treadle_ir.errors.argument_checks import element_type, integers, shown
from treadle_ir.errors.kinds import ArgumentError, out_of_range
from treadle_ir.errors.other_libraries import conversion_of, library, refusal
from treadle_ir.primitives.convert import Convert
from treadle_ir.tracing.array import Array, Operand, type_of
from treadle_ir.tracing.staging import staging_trace
from treadle_ir.tracing.trace import bind, current_evaluator

Elements: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"  # Any: of any element type

_NUMBERS = frozenset([bool, int, float, complex])


def as_operand(x: object) -> Operand:
    """Return a user's value as an operand of primitives, its element type not wider than the width in force.

    The result shares the memory of a NumPy array, so it is for immediate use only.

    Raises:
        ArgumentError: the value is neither an array nor a number.
        RangeError: a Python integer does not fit the default integer type.

    Example:
        >>> as_operand(2.0)
        Literal(value=np.float32(2.0), type=f32[]*)
    """
    operand = operand_or_none(x)
    if operand is None:
        raise no_array(x)
    return operand


def operand_or_none(x: object) -> Operand | None:
    """Return `as_operand(x)`, or None if `x` is neither an array nor a number, for callers that name the argument."""
    if isinstance(x, (Array, Literal)):
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        if x.__class__ is not np.ndarray and isinstance(x, np.ndarray):
            x = np.asarray(x)  # the methods of a matrix or a masked array differ
        elements: Operand = canonical_elements(x)
        return elements
    if isinstance(x, (bool, int, float, complex)):
        return weak_literal(x)
    convert = conversion_of(x)
    if convert is not None:
        return operand_or_none(convert(x))
    refused = refusal(x)
    if refused is not None:
        raise refused
    return None


def no_array(x: object) -> ArgumentError:
    """Return the error for a value that is neither an array nor a number."""
    return ArgumentError(
        f"{shown(x)} of type {type(x)} is not a valid {library()} type", fix=fix_for(x)
    )


def fix_for(x: object) -> str:
    """Return the fix for an argument that is neither an array nor a number."""
    kind = type(x)
    if isinstance(x, (str, bytes)):
        return "pass arrays, NumPy arrays or numbers; a string that says what to do is a static argument"
    if hasattr(kind, "to_numpy"):  # of pandas, polars, xarray, ...
        return "pass its elements: `.to_numpy()`; columns of text are left out first"
    if hasattr(kind, "detach"):
        return "pass its elements: `.detach().cpu().numpy()`"
    return "pass arrays, NumPy arrays or numbers; to hand over an object, mark it static or register it as a pytree"


def type_like(function: str, x: object) -> ArrayType:
    """Return the type of an array, a number, or any object with a shape and a dtype; not wider than the width in force.

    Raises:
        ArgumentError: `x` is not one of these.

    Example:
        >>> type_like("eval_shape", np.zeros((2, 3), np.float32))
        f32[2,3]
    """
    shape, dtype = getattr(x, "shape", None), getattr(x, "dtype", None)
    if shape is None or dtype is None or isinstance(x, type):  # NumPy's classes have descriptors
        return type_of(x)
    return ArrayType(
        integers(function, "each shape", shape),
        canonical_dtype(element_type(function, dtype)),
        bool(getattr(x, "weak_type", False)),
    )


def canonical_elements(
    elements: Any,
) -> Any:  # Any: a NumPy array or a NumPy scalar, as the argument
    """Return a NumPy array or scalar in native byte order and not wider than the width in force."""
    dtype = elements.dtype
    wanted = canonical_dtype(dtype if dtype.isnative else dtype.newbyteorder("="))
    return elements if wanted is dtype else elements.astype(wanted)


def weak_literal(value: bool | int | float | complex) -> Literal:
    """Return a Python number as an operand that stays weak.

    Raises:
        RangeError: the number does not fit the default type of its kind.
    """
    return Literal(*_weak_number(value))


def _weak_number(
    value: bool | int | float | complex,
) -> tuple[Any, ArrayType]:  # Any: a NumPy scalar
    type = scalar_type(value)
    try:
        return type.dtype.type(value), type
    except OverflowError as error:
        raise out_of_range(error, value, type.dtype) from None


def new_array(elements: Elements, weak: bool = False) -> Array:
    """Return an array of elements that will not be written to any more, made by the installed evaluator."""
    return current_evaluator().array(elements, weak)


def as_array(x: object) -> Array:
    """Return a user's value as an array: of the installed evaluator, or a tracer.

    NumPy arrays are copied, as their owner may write to them before a program that holds them runs. Numbers stay
    literals in a program that is being staged.

    Raises:
        ArgumentError: the value is neither an array nor a number.
        RangeError: a Python integer does not fit the default integer type.
    """
    if x.__class__ in _NUMBERS and staging_trace() is None:
        value, type = _weak_number(x)  # type: ignore[arg-type]  # a number
        return new_array(np.array(value), type.weak)
    if isinstance(x, Array):
        return x
    operand = as_operand(x)
    if isinstance(operand, Array):
        return operand
    if isinstance(operand, np.ndarray):
        return _of_elements(operand, x)
    if is_float0(operand.dtype):
        return new_array(np.asarray(operand))
    weak = isinstance(operand, Literal) and operand.type.weak
    if staging_trace() is None:
        return new_array(np.array(operand.value if isinstance(operand, Literal) else operand), weak)
    return bind(Convert(operand.dtype, weak), operand)[0]


def _of_elements(elements: Elements, given: object) -> Array:
    """Return an array from a NumPy array whose owner may write to it; while a function is staged, one for all uses.

    Otherwise a program would hold the array that a function closes over once for each use.
    """
    evaluator = current_evaluator()
    trace = staging_trace()
    if trace is None:
        return evaluator.array(elements, False, owned=elements is not given, users=True)
    known = trace.constants.get(id(given))
    if known is not None and _same_bits(known.copy, elements):
        return known.array
    copy = np.array(elements)
    return trace.keep(given, copy, evaluator.array(copy, False))


def _same_bits(one: Elements, other: Elements) -> bool:
    """Return whether two arrays are the same to the bit: the owner of one may have written to it."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return np.array_equal(_bytes(one), _bytes(other))


def _bytes(elements: Elements) -> Elements:
    return np.ascontiguousarray(elements).reshape(-1).view(np.uint8)
