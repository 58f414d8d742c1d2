"""The supported element types, their names in the text format, and their kinds.

An element type is a `numpy.dtype`; ml_dtypes adds the types that NumPy lacks. Two kinds are special:

* `float0` is the type of the tangents of integers and booleans: it has one value and no data. It is one of NumPy's
  structured types.
* `key<fry>`, `key<rbg>` and `key<urbg>` are the types of random keys, one for each generator: eight bytes, the two
  words of a Threefry key, or sixteen, the four words of the other generators. Generators that libraries define have a
  type each, too. Keys can be moved, selected and compared for equality; they are not numbers, so arithmetic refuses
  them. They are objects of treadle's (`treadle_ir.core.extended`), as are the element types that libraries define.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias, cast, final

import ml_dtypes
import numpy as np

from treadle_ir.core.extended import (
    ExtendedDType as ExtendedDType,
    Physical,
    element_type_of as element_type_of,
    extended as extended,
    extended_refused as extended_refused,
    is_extended as is_extended,
    stored_type,
)
from treadle_ir.errors.kinds import DTypeError
from treadle_ir.process.releases import refuse_without

DType: TypeAlias = np.dtype[Any]
_finfo: Any = ml_dtypes.finfo  # whose constructor has no type annotations


class prng_key(extended):  # noqa: N801 - the public name
    """The kind of random keys' element types."""


@final
class KeyDType(ExtendedDType):
    """The element type of the random keys of a generator.

    `generator` is the name of one of treadle's own generators, or the object that a library made.
    """

    type: Final = prng_key

    def __init__(
        self,
        tag: str,
        generator: object,
        key_shape: tuple[int, ...],
        physical: Physical | None = None,
    ) -> None:
        self._name = f"key<{tag}>"
        self.generator = generator
        self.key_shape = key_shape
        self._held = physical or (np.dtype(np.uint32), (math.prod(key_shape),))
        self._stored = stored_type(self)

    @property
    def name(self) -> str:
        """The name that `repr` and the text format show."""
        return self._name

    @property
    def dtype(self) -> DType:
        """NumPy's type of its elements."""
        return self._stored

    @property
    def physical(self) -> Physical:
        """Words of 64 bits, one or two, for treadle's own keys; for libraries' keys, their words of 32 bits."""
        return self._held

    @property
    def tangents(self) -> None:
        """None: keys have no tangents."""
        return

    def is_made_of(self, other: Any) -> bool:
        """Return False: nothing can be converted to keys."""
        return False

    def makes(self, other: Any) -> bool:
        """Return False: keys cannot be converted to anything."""
        return False

    def __repr__(self) -> str:
        return self._name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KeyDType):
            return NotImplemented  # NumPy's dtypes compare themselves with the `dtype` of this type
        return self is other or (self._name, self.generator) == (other._name, other.generator)

    def __hash__(self) -> int:
        return hash(self._name)

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.generator, str):
            return _named, (self._name,)
        tag = self._name.removeprefix("key<").removesuffix(">")
        return KeyDType, (tag, self.generator, self.key_shape, self._held)

    def __copy__(self) -> KeyDType:
        return self

    def __deepcopy__(self, memo: object) -> KeyDType:
        return self


float0: Final[DType] = np.dtype([("float0", np.void, 0)])
_U64: Final[DType] = np.dtype(np.uint64)
# To type checkers they are NumPy dtypes, as all element types are; they have the attributes used (`itemsize`, `names`).
KEY: Final = cast("DType", KeyDType("fry", "threefry2x32", (2,), (_U64, ())))
RBG: Final = cast("DType", KeyDType("rbg", "rbg", (4,), (_U64, (2,))))
UNSAFE_RBG: Final = cast("DType", KeyDType("urbg", "unsafe_rbg", (4,), (_U64, (2,))))
GENERATORS: Final[dict[str, DType]] = {"threefry2x32": KEY, "rbg": RBG, "unsafe_rbg": UNSAFE_RBG}
"""The element types of keys by the names of their generators."""
refuse_without(
    ml_dtypes,
    ml_dtypes.__version__,
    ">=0.5.3",
    ("int2", "float4_e2m1fn", "float6_e2m3fn", "float8_e3m4", "float8_e8m0fnu"),
)
bfloat16: Final[DType] = np.dtype(ml_dtypes.bfloat16)


def _bits(name: str, of_ml_dtypes: str) -> dict[str, DType]:
    """Return a 1-bit integer type by its name, if ml_dtypes has it: from 0.6 on, while all other types are in 0.5."""
    element = getattr(ml_dtypes, of_ml_dtypes, None)
    return {} if element is None else {name: np.dtype(element)}


BY_NAME: Final[dict[str, DType]] = {
    "bool": np.dtype(np.bool_),
    **_bits("i1", "int1"),
    "i2": np.dtype(ml_dtypes.int2),
    "i4": np.dtype(ml_dtypes.int4),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    **_bits("u1", "uint1"),
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
NARROW_INTEGERS: Final = tuple(
    [name for name in ("i1", "i2", "i4", "u1", "u2", "u4") if name in BY_NAME]
)
"""The integers of less than a byte; in memory each takes a full byte."""
SMALL: Final = frozenset(BY_NAME[name] for name in (*NARROW_INTEGERS, *MINIFLOATS))
NOT_COMPILED: Final = frozenset(
    BY_NAME[name] for name in ("i1", "u1", "f6e2m3fn", "f6e3m2fn") if name in BY_NAME
)
"""Types that XLA cannot compile: in jaxlib 0.10.2, it treats 1-bit integers as booleans, and lacks 6-bit floats."""
_CONVERTIBLE: Final = [  # as users write them: `i8` is NumPy's int64
    dtype.name for dtype in BY_NAME.values() if dtype.names is None and dtype not in NOT_COMPILED
]
NAMES: Final[dict[DType, str]] = {dtype: name for name, dtype in BY_NAME.items()}

_SIGNED = frozenset(
    BY_NAME[name] for name in ("i1", "i2", "i4", "i8", "i16", "i32", "i64") if name in BY_NAME
)
_UNSIGNED = frozenset(
    BY_NAME[name] for name in ("u1", "u2", "u4", "u8", "u16", "u32", "u64") if name in BY_NAME
)
_FLOATING = frozenset(BY_NAME[name] for name in (*MINIFLOATS, "bf16", "f16", "f32", "f64"))
_BITS: Final[dict[DType, int]] = {
    BY_NAME[name]: int(name[1]) for name in (*NARROW_INTEGERS, "f4e2m1fn", "f6e2m3fn", "f6e3m2fn")
}
"""The number of bits of the elements that fill only a part of their byte."""
_GREATEST: Final[dict[DType, float]] = {
    BY_NAME[name]: float(_finfo(BY_NAME[name]).max)
    for name in MINIFLOATS
    if name not in ("f8e3m4", "f8e4m3", "f8e5m2")
}
"""The greatest finite number of each type without an infinity."""
_KEYS = frozenset(GENERATORS.values())
_COMPLEX = frozenset(BY_NAME[name] for name in ("c64", "c128"))


def _named(name: str) -> DType:
    """Return the element type of a name; pickles call it."""
    return BY_NAME[name]


def letter(dtype: DType) -> str:
    """Return NumPy's one-letter code of a type of NumPy's own, and `-` for every other type.

    Types of other packages choose their letters freely: `dtype.char` of ml_dtypes' float8_e4m3b11fnuz is `L`, which
    is also the letter of uint64.

    Example:
        >>> letter(np.dtype(np.float32)), letter(BY_NAME["f8e4m3b11fnuz"])
        ('f', '-')
    """
    # Types of keys are not NumPy dtypes, and do not have `isbuiltin`.
    return dtype.char if getattr(dtype, "isbuiltin", 0) == 1 else "-"


def dtype_name(dtype: DType) -> str:
    """Return the name of an element type in the text format: `f32`, `bf16`, `bool`.

    Raises:
        DTypeError: treadle has no such element type.
    """
    try:
        return NAMES[dtype]
    except KeyError:
        element: Any = element_type_of(dtype)
        if isinstance(element, ExtendedDType):
            return element.name
        fix = f"convert to one of {', '.join(_CONVERTIBLE)}"
        if getattr(element, "kind", "") in {*"OSUTM"}:  # None, for one, has no kind
            fix = (
                "arrays hold numbers only: convert with .astype(float), or leave out what is text, as columns of a "
                "table (`df.select_dtypes('number')`)"
            )
        raise DTypeError(f"element type {dtype} is not supported", fix=fix) from None


def element_type(dtype: DType | ExtendedDType) -> DType:
    """Return the canonical (interned) dtype object: the same one for all equal dtypes that NumPy makes.

    Raises:
        DTypeError: treadle has no such element type.
    """
    name = NAMES.get(dtype)  # type: ignore[arg-type]  # either kind is a key
    if name is not None:
        return BY_NAME[name]
    element: Any = element_type_of(dtype)
    if isinstance(element, ExtendedDType):
        return cast("DType", element)
    found = np.dtype(dtype)
    return BY_NAME[dtype_name(found)]


def user_name(dtype: DType) -> str:
    """Return the name that users know: NumPy's name, except for `float0` and for types that NumPy lacks."""
    if dtype.names is None:
        return dtype.name
    return "float0" if is_float0(dtype) else dtype_name(dtype)


def tangent_dtype(dtype: DType) -> DType:
    """Return the element type of tangents: `dtype` if it is inexact, what a library's rules specify, else float0."""
    if is_inexact(dtype):
        return dtype
    element: Any = dtype
    if isinstance(element, ExtendedDType) and element.tangents is not None:
        return element_type(element.tangents)
    return float0


def has_tangents(dtype: DType) -> bool:
    """Return whether arrays of an element type have tangents with data."""
    return is_inexact(dtype) or (dtype.names is not None and tangent_dtype(dtype) is not float0)


def is_float0(dtype: DType) -> bool:
    """Return whether `dtype` is the type of the tangents of integers and booleans."""
    return dtype is float0 or (dtype.names is not None and dtype == float0)


def is_key(dtype: DType) -> bool:
    """Return whether `dtype` is a type of random keys."""
    return dtype is KEY or (
        dtype.names is not None and isinstance(element_type_of(dtype), KeyDType)
    )


def is_wide_key(dtype: DType) -> bool:
    """Return whether `dtype` is the type of the 128-bit random keys of one of treadle's own generators."""
    return dtype.names is not None and element_type_of(dtype) in (RBG, UNSAFE_RBG)


def is_own_key(dtype: DType) -> bool:
    """Return whether `dtype` is the type of the random keys of one of treadle's own generators."""
    return dtype is KEY or (dtype.names is not None and element_type_of(dtype) in _KEYS)


def physical_type(dtype: DType) -> Physical:
    """Return the type and shape of an element in compiled programs: for an extended dtype, those its rules specify."""
    element: Any = element_type_of(dtype)
    return element.physical if isinstance(element, ExtendedDType) else (dtype, ())


def extended_element(dtype: DType, physical: Any) -> np.ndarray[Any, DType]:
    """Return an element of an extended dtype, rank 0, whose physical elements all equal `physical`."""
    made, shape = physical_type(dtype)
    return (
        np.broadcast_to(np.asarray(physical, made), shape)
        .copy()
        .reshape(-1)
        .view(dtype)
        .reshape(())
    )


def convertible(source: DType, target: DType) -> bool:
    """Return whether the rules of libraries allow converting arrays from `source` to `target`, one of them extended."""
    given, wanted = element_type_of(source), element_type_of(target)
    makes = isinstance(given, ExtendedDType) and given.makes(wanted)
    return makes or (isinstance(wanted, ExtendedDType) and wanted.is_made_of(given))


def rule_of(dtype: DType, name: str) -> Callable[..., Any] | None:
    """Return a function of the rules of an extended dtype, applied to that dtype; None if the rules lack it."""
    element: Any = element_type_of(dtype)
    found = getattr(getattr(element, "_rules", None), name, None)
    return None if found is None else partial(found, element)


def key_words(dtype: DType) -> int:
    """Return the number of 32-bit words in a random key of a type."""
    return dtype.itemsize // 4


def key_shape(dtype: DType) -> tuple[int, ...]:
    """Return the shape of the 32-bit words of a random key of a type."""
    element: Any = element_type_of(dtype)
    shape: tuple[int, ...] = element.key_shape
    return shape


def key_number(key: np.generic[Any] | np.ndarray[Any, DType]) -> int:
    """Return a single random key as one number; its first word is the lowest."""
    return int.from_bytes(key.tobytes(), "little")


def numbered_key(number: int, dtype: DType) -> np.ndarray[Any, DType]:
    """Return the random key of a number: the inverse of `key_number`."""
    return np.frombuffer(number.to_bytes(dtype.itemsize, "little"), dtype).reshape(())


def key_refused(what: str) -> DTypeError:
    """Return the error for a random key where numbers are required; `what` is the operation."""
    return DTypeError(
        f"{what}: random keys are not numbers and take no part in arithmetic",
        fix="draw numbers with `random.bits(key)` or `random.uniform(key)`, make new keys with `random.split(key)`, "
        "or take the words of the key with `random.key_data(key)`",
    )


def no_numbers(what: str, dtype: DType) -> DTypeError:
    """Return the error for an element of an extended dtype where numbers are required; `what` is the operation."""
    return key_refused(what) if is_key(dtype) else extended_refused(what, dtype)


def is_bool(dtype: DType) -> bool:
    """Return whether `dtype` is the boolean type."""
    return dtype == np.bool_


def is_signed(dtype: DType) -> bool:
    """Return whether `dtype` is a signed integer type."""
    return dtype in _SIGNED


def is_unsigned(dtype: DType) -> bool:
    """Return whether `dtype` is an unsigned integer type."""
    return dtype in _UNSIGNED


def is_integer(dtype: DType) -> bool:
    """Return whether `dtype` is an integer type (booleans are not)."""
    return dtype in _SIGNED or dtype in _UNSIGNED


def is_floating(dtype: DType) -> bool:
    """Return whether `dtype` is a real floating-point type."""
    return dtype in _FLOATING


def is_complex(dtype: DType) -> bool:
    """Return whether `dtype` is a complex type."""
    return dtype in _COMPLEX


def is_inexact(dtype: DType) -> bool:
    """Return whether `dtype` is a floating-point or complex type, so that its arrays can be differentiated."""
    return dtype in _FLOATING or dtype in _COMPLEX


def bit_width(dtype: DType) -> int:
    """Return the number of significant bits of an element: 4 for a 4-bit integer, though it takes a byte in memory."""
    return _BITS.get(dtype) or 8 * dtype.itemsize


def is_narrow_integer(dtype: DType) -> bool:
    """Return whether `dtype` is an integer type of less than a byte."""
    return dtype.itemsize == 1 and dtype in _BITS and dtype not in _FLOATING


def real_part(dtype: DType) -> DType:
    """Return the type of the real and imaginary parts of a complex type, and any other type unchanged."""
    if dtype not in _COMPLEX:
        return dtype
    return BY_NAME["f32"] if dtype == np.complex64 else BY_NAME["f64"]


def complex_of(dtype: DType) -> DType:
    """Return the complex type whose parts can hold this type: c128 for f64, c64 for all other real types."""
    if dtype in _COMPLEX:
        return dtype
    return BY_NAME["c128"] if dtype == np.float64 else BY_NAME["c64"]


def greatest_exponent(dtype: DType) -> int:
    """Return the exponent of the least power of two that is beyond all numbers of a floating type: 128 for f32."""
    return math.frexp(float(_finfo(dtype).max))[1]


def least(dtype: DType) -> np.generic[Any]:
    """Return the identity of maximum: -inf (of complex numbers too), the least integer, False."""
    return _extreme(dtype, -1)


def greatest(dtype: DType) -> np.generic[Any]:
    """Return the identity of minimum: inf (of complex numbers too), the greatest integer, True."""
    return _extreme(dtype, 1)


def _extreme(dtype: DType, sign: int) -> np.generic[Any]:
    value: Any
    if is_bool(dtype):
        value = sign > 0
    elif is_floating(dtype):
        # converting an infinity to a type that lacks it would give NaN
        value = sign * _GREATEST.get(dtype, np.inf)
        if sign < 0 and dtype == BY_NAME["f8e8m0fnu"]:  # it has no signs
            value = float(_finfo(dtype).min)
    elif is_complex(dtype):
        value = complex(sign * np.inf, 0)
    else:
        info: Any = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
        value = info.max if sign > 0 else info.min
    return np.asarray(value).astype(dtype).reshape(1)[0]  # type: ignore[no-any-return]
