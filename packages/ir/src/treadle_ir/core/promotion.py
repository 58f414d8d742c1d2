"""The promotion lattice, with weak types, and the width of default types.

Types are promoted to their least upper bound in this lattice; `i*`, `f*` and `c*` are the
weak types of Python's int, float and complex, which yield to any array of their kind or a wider kind:

    bool -> i* -> u8 -> u16 -> u32 -> u64 -.            i8 joins u8 in i16, i16 joins u16 in i32, ...
             `--> i8 -> i16 -> i32 -> i64 --> f* -> bf16, f16 -> f32 -> f64 -> c128
                                               `---> c* -> c64 -> c128        (f32 -> c64, bf16 + f16 = f32)

Integers of less than a byte promote with no arrays of other types but booleans, and floats of less than two bytes with
no other floats: any choice of a common type would be a guess.

With 32-bit defaults (the state of `x64`), requested 64-bit types become 32-bit types.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from treadle_ir.core.dtypes import (
    BY_NAME,
    MINIFLOATS,
    NARROW_INTEGERS,
    DType,
    dtype_name,
    is_extended,
    is_float0,
    is_inexact,
    no_numbers,
)
from treadle_ir.core.types import ArrayType
from treadle_ir.errors.kinds import DTypeError
from treadle_ir.errors.whose import is_users
from treadle_ir.settings.context import Setting, current_context, one_of
from treadle_ir.settings.declared import EXPLICIT_X64

_UP: Final[dict[str, tuple[str, ...]]] = {
    "bool": ("i*",),
    "i*": ("u8", "i8", *NARROW_INTEGERS),
    **dict.fromkeys(NARROW_INTEGERS, ()),  # they promote with booleans and Python's integers only
    "u8": ("u16", "i16"),
    "u16": ("u32", "i32"),
    "u32": ("u64", "i64"),
    "u64": ("f*",),
    "i8": ("i16",),
    "i16": ("i32",),
    "i32": ("i64",),
    "i64": ("f*",),
    "f*": ("c*", *MINIFLOATS, "bf16", "f16"),
    **dict.fromkeys(MINIFLOATS, ()),  # they promote with no other floats but Python's
    "bf16": ("f32",),
    "f16": ("f32",),
    "f32": ("f64", "c64"),
    "f64": ("c128",),
    "c*": ("c64",),
    "c64": ("c128",),
    "c128": (),
}


def _above() -> dict[str, frozenset[str]]:
    """Return the nodes to which each node of the lattice promotes, itself included."""
    above: dict[str, frozenset[str]] = {}
    for name in reversed(_in_order()):
        above[name] = frozenset({name}).union(*(above[up] for up in _UP[name]))
    return above


def _in_order() -> list[str]:
    """Return the nodes, each before the nodes to which it promotes."""
    order: list[str] = []
    waiting = {name: sum(name in ups for ups in _UP.values()) for name in _UP}
    ready = [name for name, count in waiting.items() if not count]
    while ready:
        name = ready.pop()
        order.append(name)
        for up in _UP[name]:
            waiting[up] -= 1
            if not waiting[up]:
                ready.append(up)
    return order


_ABOVE: Final = _above()
_WEAK: Final = {"i": "i*", "f": "f*", "c": "c*"}


def x64_enabled() -> bool:
    """Return whether default types are 64 bits wide and 64-bit types are not narrowed."""
    return current_context().x64


_NARROW: Final[dict[DType, DType]] = {
    BY_NAME["i64"]: BY_NAME["i32"],
    BY_NAME["u64"]: BY_NAME["u32"],
    BY_NAME["f64"]: BY_NAME["f32"],
    BY_NAME["c128"]: BY_NAME["c64"],
}


def canonical_dtype(dtype: DType) -> DType:
    """Return the type itself, or its 32-bit counterpart if 64-bit types are off."""
    narrow = _NARROW.get(dtype)
    return dtype if narrow is None or x64_enabled() else narrow


_DEFAULTS: Final[dict[type, tuple[str, str]]] = {
    bool: ("bool", "bool"),
    int: ("i32", "i64"),
    float: ("f32", "f64"),
    complex: ("c64", "c128"),
}


def default_dtype(kind: type) -> DType:
    """Return the element type for Python's `bool`, `int`, `float` or `complex` at the width in force."""
    return BY_NAME[_DEFAULTS[kind][x64_enabled()]]


def inexact_dtype(dtype: DType) -> DType:
    """Return the element type to which functions of real numbers convert operands: `dtype`, or a float.

    64-bit integers become f64 (also Python's, if 64-bit types are on); all others become f32.
    """
    if is_inexact(dtype):
        return dtype
    if is_extended(dtype):
        raise no_numbers("a function of real numbers", dtype)
    return BY_NAME["f64" if dtype.itemsize == 8 else "f32"]


def scalar_type(value: bool | int | float | complex) -> ArrayType:
    """Return the type of a Python scalar: rank 0, of default width, weak unless it is a bool."""
    for kind in (bool, int, float, complex):
        if isinstance(value, kind):
            return ArrayType((), default_dtype(kind), kind is not bool)
    raise AssertionError("not a Python scalar")


def _node(dtype: DType, weak: bool) -> str:
    name = dtype_name(dtype)
    if not weak or name == "bool":
        return name
    return _WEAK["f" if name == "bf16" else "i" if name[0] == "u" else name[0]]


@lru_cache(maxsize=4096)
def _promote(nodes: tuple[tuple[DType, bool], ...], wide: bool) -> tuple[DType, bool]:
    names = {_node(dtype, weak) for dtype, weak in nodes}
    common = frozenset.intersection(*(_ABOVE[name] for name in names))
    least = [name for name in common if common <= _ABOVE[name]]
    if not least:
        listed = ", ".join(sorted(names))
        raise DTypeError(
            f"element types {listed} have no implicit promotion",
            fix="convert one of them explicitly with .astype(...)",
        )
    (name,) = least
    if name.endswith("*"):
        same = tuple((dtype, False) for dtype, weak in nodes if _node(dtype, weak) == name)
        if not same:  # no operand is of that kind: use the kind's default
            defaults = {"i*": ("i32", "i64"), "f*": ("f32", "f64"), "c*": ("c64", "c128")}
            return BY_NAME[defaults[name][wide]], True
        dtype, _ = _promote(same, wide)
        return dtype, True
    return BY_NAME[name], False


DTYPE_PROMOTION: Final = Setting(
    "numpy_dtype_promotion",
    "standard",
    parse=one_of("standard", "strict"),
    help="With `strict`, arrays of different element types are refused; Python numbers still adapt to an array.",
    of_users=True,
)


def promoted(types: Sequence[ArrayType]) -> tuple[DType, bool]:
    """Return the element type to which operands of these types promote, and whether it is weak.

    Raises:
        DTypeError: there is none (8-bit floats with other arrays), or promotion is `strict`.
    """
    first = types[0]
    dtype, weak = first.dtype, first.weak
    for other in types:
        if other.dtype is not dtype or other.weak is not weak:
            break
    else:
        return dtype, weak
    if any(is_float0(each.dtype) for each in types):
        raise DTypeError("float0, the type of integers' tangents, takes no part in arithmetic")
    for each in types:
        if is_extended(each.dtype):
            raise no_numbers(f"operands of types {', '.join(map(str, types))}", each.dtype)
    dtype, weak = _promote(tuple((each.dtype, each.weak) for each in types), x64_enabled())
    if DTYPE_PROMOTION() == "strict":
        _refuse_promotion(types, dtype)
    narrow = canonical_dtype(dtype)
    if narrow is not dtype and EXPLICIT_X64() == "allow":
        asked = any(each.dtype == dtype and not each.weak for each in types)
        return (dtype if asked else narrow), weak
    return narrow, weak


def _refuse_promotion(types: Sequence[ArrayType], result: DType) -> None:
    """Refuse users' operands unless all strongly typed ones have the type of the result."""
    if any(not each.weak and each.dtype != result for each in types) and is_users():
        listed = ", ".join(sorted({repr(each) for each in types}))
        raise DTypeError(
            f"element types of {listed} differ, and numpy_dtype_promotion is 'strict'",
            fix="convert one of them explicitly with .astype(...), or set numpy_dtype_promotion to 'standard'",
        )
