"""The hostile values: what a program with a mistake in it, or a test that means harm, hands to a function."""

from __future__ import annotations

import datetime
import decimal
import fractions
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

import numpy as np

import treadle
import treadle.numpy as tnp


class UsersError(Exception):
    """What the objects below raise: it goes to the user as it is."""


def _raising(*names: str) -> Any:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise UsersError(f"from {names[0]}")

    return type(f"Raises{names[0].strip('_').title()}", (), dict.fromkeys(names, refuse))()


class Plain:
    """A user's class of which treadle knows nothing."""


class AsArray:
    """An object that hands out NumPy arrays."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array([1.0, 2.0, 3.0], dtype)


class WrongArray:
    """An object whose array is none."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> str:
        return "no array"


class WrongIndex:
    """An object whose index is none."""

    def __index__(self) -> Any:
        return "no index"  # noqa: PLE0305 - that is what is wrong with it


class Endless:
    """A sequence without an end."""

    def __getitem__(self, index: int) -> int:
        return index

    def __len__(self) -> int:
        return 2**40


def _leaked(transform: Callable[..., Any], x: Any) -> Any:
    kept: list[Any] = []

    def keep(x: Any) -> Any:
        kept.append(x * 2)
        return x * 3

    transform(keep)(x)
    return kept[0]


def _deleted() -> Any:
    x = tnp.array([1.0, 2.0, 3.0])
    x.delete()
    return x


def _donated() -> Any:
    x = tnp.array([1.0, 2.0, 3.0])
    treadle.jit(lambda x: x + 1, donate_argnums=0)(x)
    return x


def _circular() -> list[Any]:
    x: list[Any] = []
    x.append(x)
    return x


def _deep() -> list[Any]:
    x: list[Any] = []
    for _ in range(2_000):
        x = [x]
    return x


def _read_only() -> np.ndarray[Any, Any]:
    x = np.arange(3.0)
    x.flags.writeable = False
    return x


def _generator() -> Iterator[float]:
    yield 1.0


def values() -> dict[str, Any]:
    """Make the hostile values, by name: some of them can be used only once."""
    found = {
        "none": None,
        "true": True,
        "ellipsis": ...,
        "not implemented": NotImplemented,
        "empty string": "",
        "string": "abc",
        "long string": "a" * 10_000,
        "surrogate": "\udc80",
        "bytes": b"\1\2",
        "bytearray": bytearray(b"\1\2"),
        "memoryview": memoryview(b"\1\2"),
        "dict": {"a": 1.0},
        "set": {1, 2},
        "range": range(3),
        "slice": slice(None, "a"),
        "generator": _generator(),
        "empty list": [],
        "list": [0.5, 0.25, 0.75],
        "ragged list": [[1.0], [1.0, 2.0]],
        "list of strings": ["a", "b"],
        "list of none": [None, None],
        "circular list": _circular(),
        "deep list": _deep(),
        "tuple": (1, 0),
        "tuple of floats": (0.5, 1.5),
        "huge shape": (2**40,),
        "huge shape of two": (2**20, 2**20),
        "zeros and huge": (0, 2**62),
        "negative shape": (-3, 2),
        "int": 7,
        "zero": 0,
        "minus one": -1,
        "minus hundred": -100,
        "2**31": 2**31,
        "2**40": 2**40,
        "2**64": 2**64,
        "-2**63-1": -(2**63) - 1,
        "10**400": 10**400,
        "float": 1.5,
        "nan": float("nan"),
        "inf": float("inf"),
        "complex": 1j,
        "decimal": decimal.Decimal("1.5"),
        "fraction": fractions.Fraction(1, 2),
        "date": datetime.date(2020, 1, 1),
        "plain object": Plain(),
        "class": Plain,
        "type": type,
        "module": treadle,
        "function": values,
        "lambda": lambda *arguments, **keywords: None,
        "treadle function": tnp.sin,
        "jitted function": treadle.jit(tnp.sin),
        "raising function": _raising("__call__"),
        "raising array": _raising("__array__"),
        "raising eq": _raising("__eq__", "__hash__"),
        "raising hash": _raising("__hash__"),
        "raising index": _raising("__index__", "__int__"),
        "raising repr": _raising("__repr__", "__str__", "__format__"),
        "raising bool": _raising("__bool__", "__len__"),
        "raising iter": _raising("__iter__", "__getitem__"),
        "raising attributes": _raising("__getattr__"),
        "as array": AsArray(),
        "wrong array": WrongArray(),
        "wrong index": WrongIndex(),
        "endless": Endless(),
        "exception": ValueError("no"),
        "empty array": tnp.zeros((0,)),
        "empty axes": tnp.zeros((0, 3)),
        "bool array": tnp.array([True, False, True]),
        "complex array": tnp.array([1j, 2.0, 3.0]),
        "nan array": tnp.array([np.nan, np.inf, -np.inf]),
        "integer array": tnp.array([5, -7, 100]),
        "array of six axes": tnp.zeros((1, 2, 1, 2, 1, 3)),
        "scalar array": tnp.array(1.5),
        "deleted array": _deleted(),
        "donated array": _donated(),
        "leaked tracer": _leaked(treadle.jit, 1.0),
        "leaked tracer of vmap": _leaked(treadle.vmap, tnp.arange(3.0)),
        "leaked tracer of grad": _leaked(
            lambda f: treadle.grad(lambda x: f(x).sum()), tnp.arange(3.0)
        ),
        "struct": treadle.ShapeDtypeStruct((3,), np.dtype(np.float32)),
        "key": treadle.random.key(0),
        "dtype": np.dtype("float32"),
        "scalar type": np.int8,
        "object dtype": np.dtype(object),
        "float0": np.zeros(3, treadle.float0),
        "object array": np.array([None, "a", 3], object),
        "string array": np.array(["a", "b", "c"]),
        "bytes array": np.array([b"a", b"b"]),
        "datetime array": np.array(["2020-01-01"], "M8[D]"),
        "empty tuple": (),
        "reference": treadle.new_ref(np.zeros(3, np.float32)),
        "nested list with a reference": [1.0, [treadle.new_ref(np.float32(1.0))]],
        "raising len": _raising("__len__"),
        "NumPy's bool": np.bool_(True),
        "NumPy's int8": np.int8(-1),
        "NumPy's uint64": np.uint64(2**64 - 1),
        "NumPy's nan": np.float32(np.nan),
        "NumPy's complex": np.complex64(1j),
        "NumPy's string": np.str_("abc"),
        "NumPy's bytes": np.bytes_(b"abc"),
        "timedelta": np.timedelta64(1, "s"),
        "structured array": np.zeros(3, [("a", "f4"), ("b", "i4")]),
        "void": np.void(b"abc"),
        "masked array": np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False]),
        "matrix": np.asmatrix(np.eye(3)),
        "long double": np.longdouble(1.5),
        "big-endian array": np.arange(3, dtype=">f4"),
        "strided array": np.arange(12.0)[::-4],
        "read-only array": _read_only(),
        "broadcast array": np.broadcast_to(np.float32(1.0), (3,)),
        "uint64 array": np.array([2**64 - 1], np.uint64),
    }
    try:
        from scipy import sparse  # noqa: PLC0415 - if it is there
    except ImportError:
        return found
    return {**found, "sparse matrix": sparse.eye(3).tocsr()}


NAMES: Final = tuple(values())
