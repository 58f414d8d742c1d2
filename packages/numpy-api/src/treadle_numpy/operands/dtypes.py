"""`dtype` arguments: names, Python types, NumPy types, and `treadle.numpy.float32` itself."""

from __future__ import annotations

import warnings
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard, final, overload

import ml_dtypes
import numpy as np

from treadle_ir import Array, DType, DTypeError
from treadle_ir.core import canonical_dtype, default_dtype, dtypes as ir_dtypes
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.errors import element_type
from treadle_ir.settings import EXPLICIT_X64
from treadle_ir.tracing import as_staged
from treadle_numpy.operands.sequences import array_from


@final
class ScalarType(type):
    """A class for an element type, a call of which makes an array: `float32(3)`. It has no instances.

    Classes derived from it are such classes, too: of an element type with names for some values.

    Example:
        >>> from treadle_numpy.numpy import float32, int8
        >>> float32.dtype
        dtype('float32')
        >>> np.dtype("float32") == float32
        True
        >>> class Step(int8):
        ...     FIRST = 0
        >>> Step.dtype, Step(Step.FIRST).dtype
        (dtype('int8'), dtype('int8'))
    """

    dtype: DType

    def __call__(cls, x: object = 0) -> Array:
        """Return an array of this element type."""
        dtype = as_dtype(cls.__name__, cls)
        return as_staged(array_from(cls.__name__, x, dtype))

    def __eq__(cls, other: object) -> bool:
        if other is None:  # which is float64 to NumPy
            return False
        # NumPy's rule for its own types: whatever is not an element type is unequal, and never an error.
        return cls.dtype.__eq__(other.dtype if isinstance(other, ScalarType) else other)

    def __hash__(cls) -> int:
        # As of NumPy's class, which it equals: either is found where the other one is a key.
        return hash(cls.dtype.type)

    def __repr__(cls) -> str:
        # Under the name that users know; it is pickled by its name without the facade.
        module = cls.__module__.replace("treadle_numpy.", "treadle.")
        return f"<class '{module}.{cls.__qualname__}'>"


def scalar_type(name: str, dtype: DType) -> ScalarType:
    """Return the class of an element type, as users find it."""
    members = {
        "dtype": dtype,
        "__doc__": _SHOWN.format(name=name),
        "__module__": "treadle_numpy.numpy",
    }
    return ScalarType(name, (), members)


_SHOWN: Final = """The element type {name}; a call makes an array of it.

Example:
    >>> import treadle_numpy
    >>> treadle_numpy.{name}.dtype.name
    '{name}'
"""


DTypeLike: TypeAlias = (
    str | type[Any] | np.dtype[Any] | ScalarType
)  # any class that NumPy knows as a type


def is_python(x: object) -> TypeGuard[type[bool | int | float | complex]]:
    """Return whether it is one of Python's number types itself: np.dtype("float64") only compares equal to one."""
    return x is float or x is int or x is bool or x is complex


_OURS: Final[dict[str, DType]] = {
    dtype.name: dtype for dtype in ir_dtypes.BY_NAME.values() if hasattr(ml_dtypes, dtype.name)
}
_NAMED: Final[dict[str, DType]] = {  # and the commonest names of NumPy's
    **{dtype.name: dtype for dtype in ir_dtypes.BY_NAME.values() if dtype.kind in "biufc"},
    **_OURS,
}


@overload
def as_dtype(function: str, dtype: DTypeLike) -> DType: ...
@overload
def as_dtype(function: str, dtype: DTypeLike | None) -> DType | None: ...
def as_dtype(function: str, dtype: DTypeLike | None) -> DType | None:
    """Return a `dtype` argument as an element type of the width in force; None stays None.

    Warns:
        UserWarning: a 64-bit type was named while 32-bit types are in force, and `explicit_x64_dtypes` is `warn`.

    Raises:
        DTypeError: there is no such element type, or not here, as `explicit_x64_dtypes` says; ArgumentError: it
            names none.
    """
    if dtype is None:
        return None
    if is_python(dtype):  # Python's types mean the default width, so nothing is cut
        return default_dtype(dtype)
    found = named_dtype(function, dtype)
    ir_dtypes.dtype_name(found)
    canonical = canonical_dtype(found)
    if canonical is not found and canonical != found:
        said = EXPLICIT_X64()
        if said == "allow":
            return found
        if said == "error":
            raise DTypeError(
                f"Explicitly requested dtype {found} requested in {function} is not available",
                fix="turn 64-bit types on (treadle_enable_x64), or say `allow` or `warn` for "
                "treadle_explicit_x64_dtypes",
            )
        warnings.warn(
            f"Explicitly requested dtype {found} requested in {function} is not available, and will be truncated "
            f"to dtype {canonical}. To enable more dtypes, set the treadle_enable_x64 configuration option or the "
            "TREADLE_ENABLE_X64 environment variable.",
            UserWarning,
            stacklevel=3,
        )
    return canonical


def named_dtype(function: str, dtype: object) -> DType:
    """Return the element type that a `dtype` argument names, at its own width.

    Raises:
        ArgumentError: it names no element type.
    """
    if isinstance(dtype, str):
        return _NAMED.get(dtype) or element_type(function, dtype)
    if isinstance(dtype, np.dtype):
        return dtype
    if isinstance(dtype, ScalarType):
        return dtype.dtype
    return element_type(function, dtype)


class Format(NamedTuple):
    """A binary format of IEEE 754: the integers of its width, and how its bits are divided."""

    bits: DType
    stored: int  # bits of the mantissa, without the leading one
    bias: int  # of the exponent


F32: Final = BY_NAME["f32"]
F64: Final = BY_NAME["f64"]
# Narrower types are computed in float32.
FORMATS: Final = {F32: Format(BY_NAME["i32"], 23, 127), F64: Format(BY_NAME["i64"], 52, 1023)}
