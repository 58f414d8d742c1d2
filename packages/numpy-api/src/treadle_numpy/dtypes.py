"""Element types as users write them: names, Python types, NumPy types, and `treadle.numpy.float32` itself."""

from __future__ import annotations

import warnings
from typing import Any, Final, TypeAlias, cast, final

import ml_dtypes
import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    DType,
    canonical_dtype,
    default_dtype,
    dtypes as ir_dtypes,
    promoted,
)
from treadle_numpy.coercion import array_from, coerce, operand_type

DTypeLike: TypeAlias = "str | type[Any] | np.dtype[Any] | ScalarType"


@final
class ScalarType:
    """An element type that also makes arrays of it: `float32(3)`.

    Example:
        >>> float32.dtype
        dtype('float32')
        >>> np.dtype("float32") == float32
        True
    """

    __slots__ = ("dtype", "name")

    def __init__(self, name: str, dtype: DType) -> None:
        self.name = name
        self.dtype = dtype

    def __call__(self, x: Any = 0) -> Array:
        """An array of this element type."""
        dtype = as_dtype(self.name, self)
        return array_from(self.name, x, dtype)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ScalarType):
            return self.dtype == other.dtype
        try:
            return bool(self.dtype == np.dtype(other))  # type: ignore[call-overload]
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"<class 'treadle.numpy.{self.name}'>"


bool_: Final = ScalarType("bool", np.dtype(np.bool_))
int8: Final = ScalarType("int8", np.dtype(np.int8))
int16: Final = ScalarType("int16", np.dtype(np.int16))
int32: Final = ScalarType("int32", np.dtype(np.int32))
int64: Final = ScalarType("int64", np.dtype(np.int64))
uint8: Final = ScalarType("uint8", np.dtype(np.uint8))
uint16: Final = ScalarType("uint16", np.dtype(np.uint16))
uint32: Final = ScalarType("uint32", np.dtype(np.uint32))
uint64: Final = ScalarType("uint64", np.dtype(np.uint64))
int4: Final = ScalarType("int4", np.dtype(ml_dtypes.int4))
uint4: Final = ScalarType("uint4", np.dtype(ml_dtypes.uint4))
float8_e4m3fn: Final = ScalarType("float8_e4m3fn", np.dtype(ml_dtypes.float8_e4m3fn))
float8_e5m2: Final = ScalarType("float8_e5m2", np.dtype(ml_dtypes.float8_e5m2))
bfloat16: Final = ScalarType("bfloat16", np.dtype(ml_dtypes.bfloat16))
float16: Final = ScalarType("float16", np.dtype(np.float16))
float32: Final = ScalarType("float32", np.dtype(np.float32))
float64: Final = ScalarType("float64", np.dtype(np.float64))
complex64: Final = ScalarType("complex64", np.dtype(np.complex64))
complex128: Final = ScalarType("complex128", np.dtype(np.complex128))
half: Final = float16
single: Final = float32
double: Final = float64
float_: Final = float64
csingle: Final = complex64
cdouble: Final = complex128
complex_: Final = complex128
int_: Final = int64
uint: Final = uint64
float0: Final = ir_dtypes.float0

character: Final = np.character
complexfloating: Final = np.complexfloating
flexible: Final = np.flexible
floating: Final = np.floating
generic: Final = np.generic
inexact: Final = np.inexact
integer: Final = np.integer
number: Final = np.number
object_: Final = np.object_
signedinteger: Final = np.signedinteger
unsignedinteger: Final = np.unsignedinteger
dtype: Final = np.dtype

_PYTHON: Final = (bool, int, float, complex)


def _is_python(x: object) -> bool:
    """Whether it is one of Python's number types itself: np.dtype("float64") only compares equal to one."""
    return any([x is each for each in _PYTHON])


_OURS: Final[dict[str, DType]] = {
    name: np.dtype(getattr(ml_dtypes, name)) for name in ("bfloat16", "int4", "uint4")
}


@final
class extended:  # noqa: N801 - JAX's name
    """The abstract kind of element types that NumPy has not: random keys."""


@final
class prng_key:  # noqa: N801 - JAX's name
    """The abstract kind of random keys' element types."""


def as_dtype(function: str, dtype: DTypeLike | None) -> DType | None:
    """A `dtype` argument as an element type of the width in force; None stays None.

    Warns:
        UserWarning: a 64-bit type was named while 32-bit types are in force.

    Raises:
        DTypeError: there is no such element type; ArgumentError: it names none.
    """
    if dtype is None:
        return None
    if _is_python(dtype):  # Python's types mean the default width, so nothing is cut
        return default_dtype(dtype)  # type: ignore[arg-type]
    found = named_dtype(function, dtype)
    ir_dtypes.dtype_name(found)
    canonical = canonical_dtype(found)
    if canonical is not found and canonical != found:
        warnings.warn(
            f"Explicitly requested dtype {found} requested in {function} is not available, and will be truncated "
            f"to dtype {canonical}. To enable more dtypes, set the treadle_enable_x64 configuration option or the "
            "TREADLE_ENABLE_X64 environment variable.",
            UserWarning,
            stacklevel=3,
        )
    return canonical


def named_dtype(function: str, dtype: Any) -> DType:
    """What a `dtype` argument names, at its own width.

    Raises:
        ArgumentError: it names no element type.
    """
    if isinstance(dtype, np.dtype):
        return dtype
    if isinstance(dtype, ScalarType):
        return dtype.dtype
    if isinstance(dtype, str) and dtype in _OURS:
        return _OURS[dtype]
    try:
        found: DType = np.dtype(dtype)
    except TypeError as error:
        raise ArgumentError(
            f"{function}: {dtype!r} is not an element type",
            fix="pass a name ('float32') or a type of treadle.numpy",
        ) from error
    return found


def result_type(*args: Any) -> DType:
    """The element type that arguments (arrays, scalars, element types) meet in.

    Differs from NumPy: JAX's lattice, in which integers never widen a float.

    Raises:
        ArgumentError: there are no arguments.

    Example:
        >>> result_type(1, np.float32(2.0))
        dtype('float32')
    """
    types = []
    for position, x in enumerate(args):
        if _is_python(x):
            types.append(ArrayType((), default_dtype(x), x is not bool))
        elif isinstance(x, (str, type, np.dtype, ScalarType)):
            types.append(ArrayType((), canonical_dtype(named_dtype("result_type", x))))
        else:
            types.append(operand_type(coerce("result_type", position, x)))
    if not types:
        raise ArgumentError("result_type needs at least one argument")
    return promoted(types)[0]


def promote_types(a: DTypeLike, b: DTypeLike) -> DType:
    """The element type that two element types meet in.

    Example:
        >>> promote_types("int16", "uint16")
        dtype('int32')
    """
    return result_type(_as_type(a), _as_type(b))


def _as_type(x: Any) -> Any:
    return x if _is_python(x) else named_dtype("promote_types", x)


_ABSTRACT: Final = {
    np.floating: ir_dtypes.is_floating,
    np.inexact: ir_dtypes.is_inexact,
    np.integer: ir_dtypes.is_integer,
    np.signedinteger: ir_dtypes.is_signed,
    np.unsignedinteger: ir_dtypes.is_unsigned,
    np.complexfloating: ir_dtypes.is_complex,
    np.number: lambda dtype: ir_dtypes.is_inexact(dtype) or ir_dtypes.is_integer(dtype),
    np.generic: lambda dtype: True,
}


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether an element type is of a kind; the kinds know of bfloat16, which NumPy's do not.

    Example:
        >>> issubdtype(bfloat16, floating)
        True
    """
    if arg2 in (extended, prng_key):
        return arg1 in (extended, prng_key) or bool(getattr(arg1, "is_key", False))
    if getattr(arg1, "is_key", False) or arg1 in (extended, prng_key):
        return arg2 is np.generic
    if isinstance(arg1, type) and issubclass(arg1, np.generic) and arg1 in _ABSTRACT:
        return isinstance(arg2, type) and issubclass(arg1, arg2)
    dtype = named_dtype("issubdtype", arg1)
    test = _ABSTRACT.get(cast("Any", arg2)) if isinstance(arg2, type) else None
    if test is not None:
        return bool(cast("Any", test)(dtype))
    if isinstance(arg2, type) and arg2 in (np.character, np.flexible, np.object_):
        return np.issubdtype(dtype, arg2)
    return dtype == named_dtype("issubdtype", arg2)


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> bool:
    """Whether an element type is of a kind as the array API names it: 'bool', 'integral', 'real floating', ..."""
    kinds: dict[object, Any] = {
        "bool": ir_dtypes.is_bool,
        "signed integer": ir_dtypes.is_signed,
        "unsigned integer": ir_dtypes.is_unsigned,
        "integral": ir_dtypes.is_integer,
        "real floating": ir_dtypes.is_floating,
        "complex floating": ir_dtypes.is_complex,
        "numeric": lambda d: ir_dtypes.is_integer(d) or ir_dtypes.is_inexact(d),
    }
    found = named_dtype("isdtype", dtype)
    each = kind if isinstance(kind, tuple) else (kind,)
    return any(
        bool(kinds[k](found))
        if isinstance(k, str) and k in kinds
        else found == named_dtype("isdtype", k)
        for k in each
    )


def can_cast(from_: Any, to: DTypeLike, casting: str = "safe") -> bool:
    """Whether NumPy would convert an element type to another under a casting rule."""
    return np.can_cast(named_dtype("can_cast", from_), named_dtype("can_cast", to), casting=casting)  # type: ignore[arg-type]


def finfo(dtype: Any) -> Any:
    """The limits of a floating type.

    Example:
        >>> float(finfo(float32).eps)
        1.1920928955078125e-07
    """
    return cast("Any", ml_dtypes).finfo(_of("finfo", dtype))


def iinfo(int_type: Any) -> Any:
    """The limits of an integer type.

    Example:
        >>> iinfo(int8).max
        127
    """
    return cast("Any", ml_dtypes).iinfo(_of("iinfo", int_type))


def _of(function: str, x: Any) -> DType:
    if isinstance(x, (Array, np.ndarray, np.generic)):
        return x.dtype
    if _is_python(x):
        return default_dtype(x)
    return named_dtype(function, x)


def canonicalize_dtype(dtype: DTypeLike) -> DType:
    """The element type itself, or its 32-bit counterpart while 32-bit types are in force."""
    return canonical_dtype(named_dtype("canonicalize_dtype", dtype))


def itemsize_bits(dtype: DTypeLike) -> int:
    """The number of bits that one element means (4 for int4, which is stored in 8)."""
    found = named_dtype("itemsize_bits", dtype)
    return ir_dtypes.bit_width(found)


def scalar_type_of(x: Any) -> type:
    """The Python type (bool, int, float, complex) of an array's elements."""
    found = operand_type(coerce("scalar_type_of", 0, x)).dtype
    if ir_dtypes.is_bool(found):
        return bool
    if ir_dtypes.is_integer(found):
        return int
    return float if ir_dtypes.is_floating(found) else complex
