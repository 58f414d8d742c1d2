"""The operator table of arrays: what `x + y`, `x[i]`, `x.sum()` and `x.T` mean.

Operators leave operands that are no arrays to Python (`NotImplemented`), so that other classes can take part,
except that a list beside an array is refused with advice: Python's own message would not name the mend.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final, cast

import numpy as np

from treadle_ir import ArgumentError, Array, current_trace, install_operators
from treadle_ir.dtypes import BY_NAME
from treadle_ir.primitives import compare as compare_primitives, elementwise as primitives
from treadle_numpy import (
    contraction,
    elementwise,
    indexing,
    manipulation,
    reductions,
    reinterpret,
    searching,
    sorting,
    statistics,
    updates,
)
from treadle_numpy.coercion import is_array_like, ops
from treadle_numpy.dtypes import DTypeLike, as_dtype
from treadle_numpy.elementwise import scalar_beside

_ARITHMETIC: Final = frozenset(
    [
        BY_NAME[n]
        for n in (
            "i8",
            "i16",
            "i32",
            "i64",
            "u8",
            "u16",
            "u32",
            "u64",
            "bf16",
            "f16",
            "f32",
            "f64",
            "c64",
            "c128",
        )
    ]
)
_INEXACT: Final = frozenset([BY_NAME[n] for n in ("bf16", "f16", "f32", "f64", "c64", "c128")])


def _refuse(symbol: str, x: Any, y: Any) -> Any:
    if isinstance(y, (list, tuple)):
        raise TypeError(
            f"unsupported operand type(s) for {symbol}: {type(x).__name__!r} and {type(y).__name__!r}; "
            "make it an array first: treadle.numpy.array(...)"
        )
    return NotImplemented


def _forward(
    symbol: str, function: Any, primitive: Any, plain: frozenset[Any]
) -> Callable[[Any, Any], Any]:
    """`x op y`; `plain` are the element types for which it is one primitive on operands of one type."""

    def operator(x: Any, y: Any) -> Any:
        kind = y.__class__
        if kind is x.__class__:
            type_ = x.type
            if type_ is y.type and type_.dtype in plain:
                return current_trace().process(primitive, (x, y))[0]
            return function(x, y)
        if kind is float or kind is int:
            type_ = x.type
            if type_.dtype in plain:
                scalar = scalar_beside(y, type_)
                if scalar is not None:
                    return current_trace().process(primitive, (x, scalar))[0]
        if not is_array_like(y):
            return _refuse(symbol, x, y)
        return function(x, y)

    return operator


def _reflected(
    symbol: str, function: Any, primitive: Any, plain: frozenset[Any]
) -> Callable[[Any, Any], Any]:
    """`y op x` for an array x and a y that does not know what to do."""

    def operator(x: Any, y: Any) -> Any:
        kind = y.__class__
        if kind is float or kind is int:
            type_ = x.type
            if type_.dtype in plain:
                scalar = scalar_beside(y, type_)
                if scalar is not None:
                    return current_trace().process(primitive, (scalar, x))[0]
        if not is_array_like(y):
            return (
                _refuse(symbol, y, x) if not isinstance(y, (list, tuple)) else _refuse(symbol, x, y)
            )
        return function(y, x)

    return operator


_NONE: Final[frozenset[Any]] = frozenset()
_ALL: Final = frozenset(BY_NAME.values())
_BINARY: Final[dict[str, tuple[str, Any, Any, frozenset[Any]]]] = {
    "add": ("+", elementwise.add, primitives.Add(), _ALL),
    "sub": ("-", elementwise.subtract, primitives.Subtract(), _ARITHMETIC),
    "mul": ("*", elementwise.multiply, primitives.Multiply(), _ALL),
    "truediv": ("/", elementwise.divide, primitives.Divide(), _INEXACT),
    "floordiv": ("//", elementwise.floor_divide, None, _NONE),
    "mod": ("%", elementwise.remainder, None, _NONE),
    "divmod": ("divmod", elementwise.divmod, None, _NONE),
    "pow": ("**", elementwise.power, None, _NONE),
    "matmul": ("@", contraction.matmul, None, _NONE),
    "and": ("&", elementwise.bitwise_and, primitives.And(), _NONE),
    "or": ("|", elementwise.bitwise_or, primitives.Or(), _NONE),
    "xor": ("^", elementwise.bitwise_xor, primitives.Xor(), _NONE),
    "lshift": ("<<", elementwise.left_shift, None, _NONE),
    "rshift": (">>", elementwise.right_shift, None, _NONE),
}
_COMPARISONS: Final[dict[str, tuple[str, Any]]] = {
    "eq": ("==", elementwise.equal),
    "ne": ("!=", elementwise.not_equal),
    "lt": ("<", elementwise.less),
    "le": ("<=", elementwise.less_equal),
    "gt": (">", elementwise.greater),
    "ge": (">=", elementwise.greater_equal),
}


_SQUARE: Final = primitives.Square()


def _pow(x: Any, y: Any, modulus: object = None) -> Any:
    if y.__class__ is int and x.type.dtype in _INEXACT and modulus is None:
        primitive = _SQUARE if y == 2 else primitives.IntegerPower(y)
        return current_trace().process(primitive, (x,))[0]
    if modulus is not None or not is_array_like(y):
        return _refuse("**", x, y)
    return elementwise.power(x, y)


def _rpow(x: Any, y: Any, modulus: object = None) -> Any:
    if modulus is not None or not is_array_like(y):
        return _refuse("**", x, y)
    return elementwise.power(y, x)


def _negative(x: Array) -> Array:
    return elementwise.negative(x)


def _setitem(x: Array, index: Any, value: Any) -> None:
    raise ArgumentError(
        "treadle arrays are immutable and do not support item assignment",
        fix="instead of x[i] = y, write x = x.at[i].set(y)",
    )


def _contains(x: Array, value: Any) -> bool:
    return bool(reductions.any(elementwise.equal(x, value)))


def _reversed(x: Array) -> Any:
    return iter(manipulation.unstack(manipulation.flip(x, 0)))


def _array_namespace(x: Array, *, api_version: str | None = None) -> Any:
    import treadle_numpy  # noqa: PLC0415 - the package is complete only after this module

    return treadle_numpy


# methods, in JAX's and NumPy's signatures; the array comes first


def _reshape(x: Array, *args: Any, order: str = "C", copy: bool | None = None) -> Array:
    shape: Any = args[0] if len(args) == 1 else args
    return manipulation.reshape(x, shape, order)


def _transpose(x: Array, *args: Any) -> Array:
    if not args or args == (None,):
        return manipulation.transpose(x)
    return manipulation.transpose(
        x, args[0] if len(args) == 1 and not isinstance(args[0], int) else args
    )


def _flatten(x: Array, order: str = "C") -> Array:
    return manipulation.ravel(x, order)


def _astype(x: Array, dtype: DTypeLike | None, copy: bool = False, device: Any = None) -> Array:
    return manipulation.astype(x, dtype, copy=copy)


def _view(x: Array, dtype: DTypeLike | None = None) -> Array:
    wanted = as_dtype("view", dtype)
    return x if wanted is None else reinterpret.viewed(x, wanted)


def _clip(x: Array, min: Any = None, max: Any = None) -> Array:
    return searching.clip(x, min, max)


def _round(x: Array, decimals: int = 0, out: None = None) -> Array:
    return elementwise.round(x, decimals)


def _builtin_round(x: Array, ndigits: int | None = None) -> Array:
    return elementwise.round(x, 0 if ndigits is None else ndigits)


def _copy(x: Array) -> Array:
    return ops.copy(x)


def _tobytes(x: Array, order: str = "C") -> bytes:
    return np.asarray(x).tobytes("F" if order == "F" else "C")


def _table() -> dict[str, object]:
    table: dict[str, object] = {}
    for name, (symbol, function, primitive, plain) in _BINARY.items():
        table[f"__{name}__"] = _forward(symbol, function, primitive, plain)
        table[f"__r{name}__"] = _reflected(symbol, function, primitive, plain)
    for name, (symbol, function) in _COMPARISONS.items():
        table[f"__{name}__"] = _forward(
            symbol,
            function,
            compare_primitives.Compare(cast("Any", name)),
            _ALL if name in ("eq", "ne") else _ORDERED,
        )
    table.update(
        {
            "__pow__": _pow,
            "__rpow__": _rpow,
            "__neg__": _negative,
            "__pos__": elementwise.positive,
            "__abs__": elementwise.abs,
            "__invert__": elementwise.invert,
            "__getitem__": indexing.getitem,
            "__setitem__": _setitem,
            "__contains__": _contains,
            "__reversed__": _reversed,
            "__round__": _builtin_round,
            "__array_namespace__": _array_namespace,
            "T": property(manipulation.transpose),
            "mT": property(manipulation.matrix_transpose),
            "real": property(elementwise.real),
            "imag": property(elementwise.imag),
            "at": property(updates.Updates),
            "flat": property(manipulation.ravel),
            "reshape": _reshape,
            "transpose": _transpose,
            "flatten": _flatten,
            "astype": _astype,
            "view": _view,
            "tobytes": _tobytes,
            "clip": _clip,
            "round": _round,
            "copy": _copy,
            "conj": elementwise.conjugate,
            "conjugate": elementwise.conjugate,
        }
    )
    for module, names in _METHODS.items():
        for name in names.split():
            table[name] = _method(name, getattr(module, name))
    return table


def _method(name: str, function: Any) -> Any:
    """A function of an array as its method: the same code, no call in between, under a name of its own."""
    method: Any = FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    method.__kwdefaults__ = function.__kwdefaults__
    method.__qualname__ = f"Array.{name}"
    method.__doc__ = function.__doc__
    method.__wrapped__ = function  # for help() and signature()
    return method


_ORDERED: Final = _ALL - {BY_NAME["c64"], BY_NAME["c128"], BY_NAME["f0"]}
_METHODS: Final[dict[Any, str]] = {
    reductions: "all any argmax argmin cumprod cumsum max min prod ptp sum",
    statistics: "mean std var",
    manipulation: "diagonal ravel repeat squeeze swapaxes trace",
    indexing: "take",
    searching: "nonzero searchsorted compress",
    contraction: "dot",
    sorting: "argpartition argsort sort",
}
TABLE: Final = _table()


def install() -> None:
    """Put the operators and methods on arrays."""
    install_operators(TABLE)
