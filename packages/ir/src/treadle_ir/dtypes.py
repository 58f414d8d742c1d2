"""The supported element types, their names in the text format, and their kinds.

An element type is a `numpy.dtype`; ml_dtypes adds the ones that NumPy has not. Two are NumPy's structured types:

* `float0` is the type of the tangents of integers and booleans: it has one value and no data.
* `key<fry>`, `key<rbg>` and `key<urbg>` are the types of random keys, one for each generator: eight bytes, the two
  words of a Threefry key, or sixteen, the four words of the others. Keys can be moved, chosen and compared for
  equality; they are no numbers, so no arithmetic takes them.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import ml_dtypes
import numpy as np

from treadle_ir.errors import DTypeError

DType: TypeAlias = np.dtype[Any]
_finfo: Any = ml_dtypes.finfo  # whose constructor has no types


class extended(np.generic):  # noqa: N801 - JAX's name
    """The kind of element types that NumPy has not: random keys."""


class prng_key(extended, np.void):  # type: ignore[misc]  # noqa: N801 - JAX's name; NumPy lets one derive
    """The kind of random keys' element types, and the class of a single element."""


float0: Final[DType] = np.dtype([("float0", np.void, 0)])
# The class goes into `dtype.type`, by which libraries know keys; to NumPy it changes nothing else.
KEY: Final[DType] = np.dtype((prng_key, [("key<fry>", np.uint64)]))
RBG: Final[DType] = np.dtype((prng_key, [("key<rbg>", np.uint64, (2,))]))
UNSAFE_RBG: Final[DType] = np.dtype((prng_key, [("key<urbg>", np.uint64, (2,))]))
GENERATORS: Final[dict[str, DType]] = {"threefry2x32": KEY, "rbg": RBG, "unsafe_rbg": UNSAFE_RBG}
"""The element type of keys by the name of their generator."""
bfloat16: Final[DType] = np.dtype(ml_dtypes.bfloat16)

BY_NAME: Final[dict[str, DType]] = {
    "bool": np.dtype(np.bool_),
    "i1": np.dtype(ml_dtypes.int1),
    "i2": np.dtype(ml_dtypes.int2),
    "i4": np.dtype(ml_dtypes.int4),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u1": np.dtype(ml_dtypes.uint1),
    "u2": np.dtype(ml_dtypes.uint2),
    "u4": np.dtype(ml_dtypes.uint4),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "f4e2m1fn": np.dtype(ml_dtypes.float4_e2m1fn),
    "f6e2m3fn": np.dtype(ml_dtypes.float6_e2m3fn),
    "f6e3m2fn": np.dtype(ml_dtypes.float6_e3m2fn),
    "f8e3m4": np.dtype(ml_dtypes.float8_e3m4),
    "f8e4m3": np.dtype(ml_dtypes.float8_e4m3),
    "f8e4m3b11fnuz": np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    "f8e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e4m3fnuz": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "f8e5m2fnuz": np.dtype(ml_dtypes.float8_e5m2fnuz),
    "f8e8m0fnu": np.dtype(ml_dtypes.float8_e8m0fnu),
    "bf16": bfloat16,
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "c64": np.dtype(np.complex64),
    "c128": np.dtype(np.complex128),
    "f0": float0,
    "key<fry>": KEY,
    "key<rbg>": RBG,
    "key<urbg>": UNSAFE_RBG,
}
MINIFLOATS: Final = tuple([name for name in BY_NAME if name[0] == "f" and "m" in name])
"""The floats of less than two bytes: `f8e4m3fn` has 4 bits of exponent and 3 of mantissa."""
NARROW_INTEGERS: Final = ("i1", "i2", "i4", "u1", "u2", "u4")
"""The integers of less than a byte; in memory each fills one."""
SMALL: Final = frozenset(BY_NAME[name] for name in (*NARROW_INTEGERS, *MINIFLOATS))
NOT_COMPILED: Final = frozenset(BY_NAME[name] for name in ("i1", "u1", "f6e2m3fn", "f6e3m2fn"))
"""Types that programs have not: XLA of jaxlib 0.10.2 takes 1-bit integers for booleans, and knows no 6-bit floats."""
_CONVERTIBLE: Final = [name for name, dtype in BY_NAME.items() if dtype.names is None]
NAMES: Final[dict[DType, str]] = {dtype: name for name, dtype in BY_NAME.items()}

_SIGNED = frozenset(BY_NAME[name] for name in ("i1", "i2", "i4", "i8", "i16", "i32", "i64"))
_UNSIGNED = frozenset(BY_NAME[name] for name in ("u1", "u2", "u4", "u8", "u16", "u32", "u64"))
_FLOATING = frozenset(BY_NAME[name] for name in (*MINIFLOATS, "bf16", "f16", "f32", "f64"))
_BITS: Final[dict[DType, int]] = {
    BY_NAME[name]: int(name[1]) for name in (*NARROW_INTEGERS, "f4e2m1fn", "f6e2m3fn", "f6e3m2fn")
}
"""The bits of the elements that fill less than the byte that holds them."""
_GREATEST: Final[dict[DType, float]] = {
    BY_NAME[name]: float(_finfo(BY_NAME[name]).max)
    for name in MINIFLOATS
    if name not in ("f8e3m4", "f8e4m3", "f8e5m2")
}
"""The greatest number of the types without an infinity."""
_KEYS = frozenset(GENERATORS.values())
_COMPLEX = frozenset(BY_NAME[name] for name in ("c64", "c128"))


def dtype_name(dtype: DType) -> str:
    """The name in the text format: `f32`, `bf16`, `bool`.

    Raises:
        DTypeError: treadle has no such element type.
    """
    try:
        return NAMES[dtype]
    except KeyError:
        raise DTypeError(
            f"element type {dtype} is not supported",
            fix=f"convert to one of {', '.join(_CONVERTIBLE)}; arrays hold no strings and no objects",
        ) from None


def user_name(dtype: DType) -> str:
    """The name that users know: NumPy's, but `float0` and `key<...>`, which are structured types to NumPy."""
    if dtype.names is None:
        return dtype.name
    return "float0" if is_float0(dtype) else dtype_name(dtype)


def is_float0(dtype: DType) -> bool:
    """Whether it is the type of the tangents of integers and booleans."""
    return dtype is float0 or (dtype.names is not None and dtype == float0)


def is_key(dtype: DType) -> bool:
    """Whether it is a type of random keys."""
    return dtype is KEY or (dtype.names is not None and dtype in _KEYS)


def is_wide_key(dtype: DType) -> bool:
    """Whether it is a type of random keys of 128 bits, which no device has a type for: they are held as two halves."""
    return dtype.names is not None and dtype.itemsize == 16 and dtype in _KEYS


def key_words(dtype: DType) -> int:
    """The number of 32-bit words in a random key of a type."""
    return dtype.itemsize // 4


def key_number(key: np.generic[Any] | np.ndarray[Any, DType]) -> int:
    """A single random key as one number; its first word is the lowest."""
    return int.from_bytes(key.tobytes(), "little")


def numbered_key(number: int, dtype: DType) -> np.ndarray[Any, DType]:
    """The random key of a number: the inverse of `key_number`."""
    return np.frombuffer(number.to_bytes(dtype.itemsize, "little"), dtype).reshape(())


def key_refused(what: str) -> DTypeError:
    """The error for a random key where numbers are wanted; `what` is the operation."""
    return DTypeError(
        f"{what}: random keys are no numbers and take no part in arithmetic",
        fix="draw numbers with `random.bits(key)` or `random.uniform(key)`, make new keys with `random.split(key)`, "
        "or take the words of the key with `random.key_data(key)`",
    )


def is_bool(dtype: DType) -> bool:
    """Whether it is the boolean type."""
    return dtype == np.bool_


def is_signed(dtype: DType) -> bool:
    """Whether it is a signed integer type."""
    return dtype in _SIGNED


def is_unsigned(dtype: DType) -> bool:
    """Whether it is an unsigned integer type."""
    return dtype in _UNSIGNED


def is_integer(dtype: DType) -> bool:
    """Whether it is an integer type (booleans are not)."""
    return dtype in _SIGNED or dtype in _UNSIGNED


def is_floating(dtype: DType) -> bool:
    """Whether it is a real floating-point type."""
    return dtype in _FLOATING


def is_complex(dtype: DType) -> bool:
    """Whether it is a complex type."""
    return dtype in _COMPLEX


def is_inexact(dtype: DType) -> bool:
    """Whether it is a floating-point or complex type: one that can be differentiated."""
    return dtype in _FLOATING or dtype in _COMPLEX


def bit_width(dtype: DType) -> int:
    """The number of bits that an element means: 4 for a 4-bit integer, though it takes a byte in memory."""
    return _BITS.get(dtype) or 8 * dtype.itemsize


def is_narrow_integer(dtype: DType) -> bool:
    """Whether it is an integer type of less than a byte."""
    return dtype.itemsize == 1 and dtype in _BITS and dtype not in _FLOATING


def real_part(dtype: DType) -> DType:
    """The type of the parts of a complex type; any other type unchanged."""
    if dtype not in _COMPLEX:
        return dtype
    return BY_NAME["f32"] if dtype == np.complex64 else BY_NAME["f64"]


def complex_of(dtype: DType) -> DType:
    """The complex type whose parts have this type: f64 gives c128, all smaller ones c64."""
    if dtype in _COMPLEX:
        return dtype
    return BY_NAME["c128"] if dtype == np.float64 else BY_NAME["c64"]


def least(dtype: DType) -> np.generic[Any]:
    """The identity of maximum: -inf, the least integer, False."""
    return _extreme(dtype, -1)


def greatest(dtype: DType) -> np.generic[Any]:
    """The identity of minimum: inf, the greatest integer, True."""
    return _extreme(dtype, 1)


def _extreme(dtype: DType, sign: int) -> np.generic[Any]:
    value: Any
    if is_bool(dtype):
        value = sign > 0
    elif is_floating(dtype):
        # converting an infinity that a type has not would give NaN
        value = sign * _GREATEST.get(dtype, np.inf)
        if sign < 0 and dtype == BY_NAME["f8e8m0fnu"]:  # it has no signs
            value = float(_finfo(dtype).min)
    else:
        info: Any = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
        value = info.max if sign > 0 else info.min
    return np.asarray(value).astype(dtype).reshape(1)[0]  # type: ignore[no-any-return]
