"""Questions about element types: what they meet in, of which kind they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np

from treadle_ir import ArgumentError, ArrayType, DType
from treadle_ir.calling import type_like
from treadle_ir.core import canonical_dtype, default_dtype, dtypes as ir_dtypes, promoted
from treadle_ir.errors import flags, names, shown
from treadle_ir.settings import current_context
from treadle_numpy.numpy.dtypes.types import extended
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.dtypes import DTypeLike, ScalarType, is_python, named_dtype

__all__ = ["can_cast", "isdtype", "issubdtype", "promote_types", "result_type"]


def result_type(*args: ArrayLike | DTypeLike | None) -> DType:
    """Return the element type that arguments (arrays, scalars, element types; None is the default float) meet in.

    Differs from NumPy: integers never widen a float.

    Raises:
        ArgumentError: there are no arguments.

    Example:
        >>> result_type(1, np.float32(2.0))
        dtype('float32')
    """
    return _promoted_type(args)[0]


def _promoted_type(args: tuple[ArrayLike | DTypeLike | None, ...]) -> tuple[DType, bool]:
    types = []
    for position, x in enumerate(args):
        if x is None:  # the default, as everywhere
            types.append(ArrayType((), default_dtype(float)))
        elif is_python(x):
            types.append(ArrayType((), default_dtype(x), x is not bool))
        elif isinstance(x, (str, type, np.dtype, ScalarType, ir_dtypes.ExtendedDType)):
            types.append(ArrayType((), canonical_dtype(named_dtype("result_type", x))))
        elif hasattr(x, "shape") and hasattr(x, "dtype"):  # also what stands for an array
            types.append(type_like("result_type", x))
        else:
            types.append(operand_type(coerce("result_type", position, x)))
    if not types:
        raise ArgumentError("result_type needs at least one argument")
    return promoted(types)


def promote_types(a: DTypeLike, b: DTypeLike) -> DType:
    """Return the element type that two element types meet in.

    Example:
        >>> promote_types("int16", "uint16")
        dtype('int32')
    """
    key = current_context().key
    return _promoted(_as_type(a), _as_type(b), key)  # type: ignore[arg-type]  # the stubs of dtypes hide their hashes


@lru_cache(maxsize=1024, typed=True)
def _promoted(a: DTypeLike, b: DTypeLike, context: object) -> DType:
    """Promote two types under a context, which determines the width and the allowed promotions."""
    return result_type(a, b)


def _as_type(x: DTypeLike) -> DTypeLike:
    return x if is_python(x) else named_dtype("promote_types", x)


_ABSTRACT: Final[dict[type, Callable[[DType], bool]]] = {
    np.floating: ir_dtypes.is_floating,
    np.inexact: ir_dtypes.is_inexact,
    np.integer: ir_dtypes.is_integer,
    np.signedinteger: ir_dtypes.is_signed,
    np.unsignedinteger: ir_dtypes.is_unsigned,
    np.complexfloating: ir_dtypes.is_complex,
    np.number: lambda dtype: ir_dtypes.is_inexact(dtype) or ir_dtypes.is_integer(dtype),
    np.generic: lambda dtype: True,
}


_KINDS: Final[dict[str, Callable[[DType], bool]]] = {
    "bool": ir_dtypes.is_bool,
    "signed integer": ir_dtypes.is_signed,
    "unsigned integer": ir_dtypes.is_unsigned,
    "integral": ir_dtypes.is_integer,
    "real floating": ir_dtypes.is_floating,
    "complex floating": ir_dtypes.is_complex,
    "numeric": lambda dtype: ir_dtypes.is_integer(dtype) or ir_dtypes.is_inexact(dtype),
}


def issubdtype(arg1: object, arg2: object) -> bool:
    """Return whether an element type is of a kind; the kinds include bfloat16, which NumPy's do not.

    Example:
        >>> from treadle_numpy.numpy import bfloat16, floating
        >>> issubdtype(bfloat16, floating)
        True
    """
    test = _ABSTRACT.get(arg2) if isinstance(arg2, type) else None
    if test is not None and isinstance(arg1, str):  # the fast path for names
        return test(named_dtype("issubdtype", arg1))
    if isinstance(arg1, np.ndarray) or isinstance(arg2, np.ndarray):
        raise ArgumentError(
            "issubdtype: element types are wanted, got an array", fix="pass x.dtype"
        )
    if isinstance(arg2, type) and issubclass(arg2, extended):
        kind = getattr(ir_dtypes.element_type_of(arg1), "type", arg1)
        return isinstance(kind, type) and issubclass(kind, arg2)
    if isinstance(arg1, type) and issubclass(arg1, extended):
        return arg2 is np.generic
    if ir_dtypes.is_extended(arg1) or ir_dtypes.is_extended(arg2):
        return arg2 is np.generic or arg1 == arg2
    if isinstance(arg1, type) and issubclass(arg1, np.generic) and arg1 in _ABSTRACT:
        return isinstance(arg2, type) and issubclass(arg1, arg2)
    dtype = named_dtype("issubdtype", arg1)
    if test is not None:
        return test(dtype)
    if isinstance(arg2, type) and arg2 in (np.character, np.flexible, np.object_):
        return np.issubdtype(dtype, arg2)
    return dtype == named_dtype("issubdtype", arg2)


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> bool:
    """Return whether an element type is of a kind as the array API names it: 'bool', 'integral', 'real floating', ...

    Example:
        >>> print(isdtype(np.dtype(np.float32), 'real floating'))
        True
    """
    found = named_dtype("isdtype", dtype)
    for each in kind if isinstance(kind, tuple) else (kind,):
        test = _KINDS.get(each) if isinstance(each, str) else None
        if test(found) if test is not None else found == named_dtype("isdtype", each):
            return True
    return False


def can_cast(from_: object, to: DTypeLike, casting: str = "safe") -> bool:
    """Return whether NumPy would convert an element type to another under a casting rule.

    Example:
        >>> print(can_cast(np.int8, np.float32))
        True
    """
    if casting.__class__ is not str:
        names("can_cast", casting=casting)
    if from_.__class__ is not str or to.__class__ is not str:  # names are known as they are
        from_, to = named_dtype("can_cast", from_), named_dtype("can_cast", to)
    return _castable(from_, to, casting)


@lru_cache(maxsize=1024)
def _castable(source: object, target: object, casting: str) -> bool:
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ArgumentError(f"can_cast: there is no casting rule {shown(casting)}")
    source, target = named_dtype("can_cast", source), named_dtype("can_cast", target)
    return np.can_cast(source, target, casting=casting)  # type: ignore[arg-type]  # a rule


def of_kind(a: object, b: object) -> bool:
    """Return whether an element type is of a kind: `issubdtype` of the module of element types.

    Example:
        >>> of_kind(np.float32, b=np.floating)
        True
    """
    return issubdtype(a, b)


def result_type_and_weakness(
    *args: ArrayLike | DTypeLike | None, return_weak_type_flag: bool = False
) -> DType | tuple[DType, bool]:
    """Return the element type that arguments meet in, and on request whether it is weak.

    Raises:
        ArgumentError: there are no arguments.

    Example:
        >>> result_type_and_weakness(1, 2.5, return_weak_type_flag=True)
        (dtype('float32'), True)
    """
    flags("result_type", return_weak_type_flag=return_weak_type_flag)
    dtype, weak = _promoted_type(args)
    return (dtype, weak) if return_weak_type_flag else dtype


def canonicalize_dtype(dtype: DTypeLike, allow_extended_dtype: bool = False) -> DType:
    """Return the element type itself, or its 32-bit counterpart while 32-bit types are in force.

    Types that NumPy lacks, such as the types of random keys, keep their width; `allow_extended_dtype` is
    accepted, without effect.

    Example:
        >>> canonicalize_dtype("float64")  # while 64-bit types are off
        dtype('float32')
    """
    flags("canonicalize_dtype", allow_extended_dtype=allow_extended_dtype)
    return canonical_dtype(named_dtype("canonicalize_dtype", dtype))


def itemsize_bits(dtype: DTypeLike) -> int:
    """Return the number of bits that one element means (4 for int4, which is stored in 8).

    Example:
        >>> itemsize_bits("int4"), itemsize_bits("float32")
        (4, 32)
    """
    found = named_dtype("itemsize_bits", dtype)
    return ir_dtypes.bit_width(found)


def scalar_type_of(x: ArrayLike) -> type:
    """Return the Python type (bool, int, float, complex) of an array's elements.

    Example:
        >>> scalar_type_of(np.float16(1))
        <class 'float'>
    """
    found = operand_type(coerce("scalar_type_of", 0, x)).dtype
    if ir_dtypes.is_bool(found):
        return bool
    if ir_dtypes.is_integer(found):
        return int
    return float if ir_dtypes.is_floating(found) else complex
