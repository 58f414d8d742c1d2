"""Operators of arrays: what `x + y` and `x == y` mean.

Operators leave operands that are not arrays to Python (`NotImplemented`), so that other classes can take part,
except that a list together with an array is refused with advice: Python's own message would not name the fix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn, TypeAlias

from treadle_ir import ArgumentError, Array, DType, Primitive
from treadle_ir.calling import as_array
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.errors import is_convertible
from treadle_ir.primitives.compare import Compare, Direction
from treadle_ir.primitives.elementwise import Add, Divide, IntegerPower, Multiply, Square, Subtract
from treadle_ir.tracing import current_trace, transparent
from treadle_numpy.indexing.reading import getitem
from treadle_numpy.numpy.ufuncs import arithmetic, bits, logic, powers, signs
from treadle_numpy.operands.coerce import ArrayLike, is_array_like
from treadle_numpy.operands.scalars import scalar_like

Results: TypeAlias = Array | tuple[Array, Array]
Operator: TypeAlias = Callable[[Array, object], object]  # Results, or NotImplemented
Function: TypeAlias = Callable[[ArrayLike, ArrayLike], Results]

_ALL: Final = frozenset(BY_NAME.values())
_REAL: Final = _ALL - {BY_NAME["c64"], BY_NAME["c128"], BY_NAME["f0"]}
_INEXACT: Final = frozenset([BY_NAME[n] for n in ("bf16", "f16", "f32", "f64", "c64", "c128")])
_WHOLE: Final = frozenset(
    [BY_NAME[n] for n in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")]
)
_NONE: Final[frozenset[DType]] = frozenset()
_SQUARE: Final = Square()


def converts(y: object) -> bool:
    """Return whether a class says how it is made an array: then it is one to operators, too, whatever it does
    reflected.

    As with NumPy, `__array_ufunc__ = None` says that the class has operators of its own.
    """
    kind = type(y)
    if getattr(kind, "__array_ufunc__", kind) is None:
        return False
    return is_convertible(kind)


def refuse(symbol: str, x: object, y: object) -> object:
    """`NotImplemented`, so that Python asks the other operand; a sequence repeats itself as often as an integer says.

    Raises:
        ArgumentError: that is a list, which must be made an array first.
    """
    if isinstance(y, (list, tuple)) and not (symbol == "*" and isinstance(transparent(x), int)):
        raise ArgumentError(
            f"unsupported operand type(s) for {symbol}: {x.__class__.__name__!r} and {y.__class__.__name__!r}; "
            "make it an array first: treadle.numpy.array(...)"
        )
    return NotImplemented


def forward(
    symbol: str,
    function: Function,
    primitive: Primitive | None = None,
    plain: frozenset[DType] = _NONE,
) -> Operator:
    """Compute `x op y`; `plain` are the element types for which it is one primitive on operands of one type."""

    # A hot path: on the short ways type checkers cannot see that y is an array, and that the primitive is there.
    def operator(x: Array, y: object) -> object:
        kind = y.__class__
        if kind is x.__class__:
            type_ = x.type
            if type_ is y.type and type_.dtype in plain:  # type: ignore[attr-defined]
                return current_trace().process(primitive, (x, y))[0]  # type: ignore[arg-type]
            return function(x, y)  # type: ignore[arg-type]
        if kind is float or kind is int:
            type_ = x.type
            if type_.dtype in plain:
                scalar = scalar_like(y, type_)
                if scalar is not None:
                    return current_trace().process(primitive, (x, scalar))[0]  # type: ignore[arg-type]
        if not is_array_like(y):
            if converts(y):
                return function(x, as_array(y))
            return refuse(symbol, x, y)
        return function(x, y)

    return operator


def reflected(
    symbol: str,
    function: Function,
    primitive: Primitive | None = None,
    plain: frozenset[DType] = _NONE,
) -> Operator:
    """Compute `y op x` for an array x and a y that does not support the operation."""

    def operator(x: Array, y: object) -> object:
        kind = y.__class__
        if kind is float or kind is int:
            type_ = x.type
            if type_.dtype in plain:
                scalar = scalar_like(y, type_)
                if scalar is not None:
                    return current_trace().process(primitive, (scalar, x))[0]  # type: ignore[arg-type]
        if not is_array_like(y):
            if isinstance(y, (list, tuple)):
                return refuse(symbol, x, y)
            return refuse(symbol, y, x)
        return function(y, x)

    return operator


_BINARY: Final[dict[str, tuple[str, Function, Primitive | None, frozenset[DType]]]] = {
    "add": ("+", arithmetic.add, Add(), _ALL),
    "sub": ("-", arithmetic.subtract, Subtract(), _WHOLE | _INEXACT),
    "mul": ("*", arithmetic.multiply, Multiply(), _ALL),
    "truediv": ("/", arithmetic.divide, Divide(), _INEXACT),
    "floordiv": ("//", arithmetic.floor_divide, None, _NONE),
    "mod": ("%", arithmetic.remainder, None, _NONE),
    "divmod": ("divmod", arithmetic.divmod, None, _NONE),
    "and": ("&", bits.bitwise_and, None, _NONE),
    "or": ("|", bits.bitwise_or, None, _NONE),
    "xor": ("^", bits.bitwise_xor, None, _NONE),
    "lshift": ("<<", bits.left_shift, None, _NONE),
    "rshift": (">>", bits.right_shift, None, _NONE),
}
_COMPARISONS: Final[dict[Direction, tuple[str, Function, frozenset[DType]]]] = {
    "eq": ("==", logic.equal, _ALL),
    "ne": ("!=", logic.not_equal, _ALL),
    "lt": ("<", logic.less, _REAL),
    "le": ("<=", logic.less_equal, _REAL),
    "gt": (">", logic.greater, _REAL),
    "ge": (">=", logic.greater_equal, _REAL),
}


def _pow(x: Array, y: object, modulus: object = None) -> object:
    if y.__class__ is int and x.type.dtype in _INEXACT and modulus is None:
        primitive = _SQUARE if y == 2 else IntegerPower(y)
        return current_trace().process(primitive, (x,))[0]
    if modulus is not None or not is_array_like(y):
        return refuse("**", x, y)
    return powers.power(x, y)


def _rpow(x: Array, y: object, modulus: object = None) -> object:
    if modulus is not None or not is_array_like(y):
        return refuse("**", x, y)
    return powers.power(y, x)


def _negative(x: Array) -> Array:
    return arithmetic.negative(x)


def _setitem(x: Array, index: object, value: object) -> NoReturn:
    raise ArgumentError(
        "treadle arrays are immutable and do not support item assignment",
        fix="instead of x[i] = y, write x = x.at[i].set(y)",
    )


def operators() -> dict[str, object]:
    """Return the operators by the names of Python's methods."""
    table: dict[str, object] = {
        "__pow__": _pow,
        "__rpow__": _rpow,
        "__neg__": _negative,
        "__pos__": arithmetic.positive,
        "__abs__": signs.abs,
        "__invert__": bits.invert,
        "__getitem__": getitem,
        "__setitem__": _setitem,
    }
    for name, (symbol, function, primitive, plain) in _BINARY.items():
        table[f"__{name}__"] = forward(symbol, function, primitive, plain)
        table[f"__r{name}__"] = reflected(symbol, function, primitive, plain)
    for direction, (symbol, function, plain) in _COMPARISONS.items():
        table[f"__{direction}__"] = forward(symbol, function, Compare(direction), plain)
    return table
