"""Comparing a public value with any object gives an answer: it raises only where Python's or NumPy's own objects would.

Users' code compares element types, shardings and trees with whatever it meets: tables of dispatch, caches, test suites.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import types
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import treadle
import treadle.numpy as tnp
from treadle import export, lax, random, tree_util
from treadle.experimental.layout import Format, Layout
from treadle.sharding import AxisType, NamedSharding, PartitionSpec as P, SingleDeviceSharding

pytestmark = [pytest.mark.programs, pytest.mark.installed]


class Failing:
    """What NumPy asks of objects, failing."""

    @property
    def dtype(self) -> Any:
        raise RuntimeError("no element type")


class Named(enum.Enum):
    """Something that compares by identity."""

    ONE = 1


HOSTILE: Final[dict[str, Any]] = {
    # what NumPy takes for an element type, or fails to
    **{
        f"text {each!r}": each
        for each in ("any text", "", "0x", "(2,3", "f4,", "f4,,f4", "\0", "é")
    },
    **{
        f"text {each!r}": each for each in ("M8[xx]", "float32", "f4", "x", ">f4", "V0", "key<fry>")
    },
    "a long text": "f" * 10_000,
    "bytes": b"f4",
    "pairs": [("a", "f4"), ("a", "f4")],
    "a negative shape": ("f4", (-1,)),
    "a large shape": ("f4", 2**70),
    "a dictionary": {"names": 1},
    "an empty dictionary": {},
    "a failing property": Failing(),
    "a wrong element type": types.SimpleNamespace(dtype="junk"),
    "a class with an element type": type("Typed", (), {"dtype": np.dtype("float64")}),
    "a module": np,
    "an element type": np.dtype("float32"),
    "fields": np.dtype("f4,i4"),
    "a type of ml_dtypes": ml_dtypes.bfloat16,
    "a NumPy class": np.float32,
    # Python's own
    **{each.__name__: each for each in (int, float, complex, bool, str, object, type, Named)},
    "None": None,
    "Ellipsis": ...,
    "NotImplemented": NotImplemented,
    "an object": object(),
    "a function": lambda: 0,
    "a generator": (i for i in range(0)),
    "an alias": list[int],
    "a union": int | str,
    "a range": range(3),
    "a slice": slice(1, 2),
    "an exception": ValueError("x"),
    "a set": {1},
    "a frozenset": frozenset("x"),
    "an enum's member": Named.ONE,
    "a date": datetime.date(2020, 1, 1),
    "a memoryview": memoryview(b"ab"),
    "not a number": float("nan"),
    "a signalling nan": decimal.Decimal("sNaN"),
    "True": True,
    "1": 1,
    "1.5": 1.5,
    "2j": 2j,
    "2**100": 2**100,
    "tuples": ((1, 2), [3]),
    "names": ("x", ("x",), None),
    "an empty tuple": (),
}
# With these, arrays are compared element by element, or refuse to be, as JAX's are.
OPERANDS: Final = (
    *("pairs", "a negative shape", "a large shape", "tuples", "names", "an empty tuple"),
    *("a failing property", "a memoryview", "a range", "not a number"),
    *("True", "1", "1.5", "2j", "2**100"),
    "an element type",  # which compares itself with their dtypes, as with the dtypes of NumPy's arrays
)


def dtype_of_ours(name: str) -> Any:
    """The element type of our arrays that `tnp` has under a name."""
    return tnp.zeros((), getattr(tnp, name)).dtype


def public_values() -> dict[str, Callable[[], Any]]:
    """Return the makers of values that users hold."""
    mesh = treadle.make_mesh((1,), ("x",))
    scope = export.SymbolicScope()
    x = tnp.ones((2, 3))
    scalar_types = [name for name in dir(tnp) if type(getattr(tnp, name)) is type(tnp.float32)]

    def increased(x: Any) -> Any:
        return x + 1

    return {
        **{f"tnp.{name}": partial(getattr, tnp, name) for name in scalar_types},
        **{
            f"a dtype {name}": partial(dtype_of_ours, name)
            for name in ("float32", "bfloat16", "int4")
        },
        "float0": lambda: treadle.dtypes.float0,
        "a dtype of keys": lambda: random.key(0).dtype,
        "finfo": lambda: tnp.finfo("float32"),
        "a specification": lambda: P("x", None),
        "an empty specification": lambda: P(),
        "a specification of sums": lambda: P(None, unreduced={"x"}),
        "a mesh": lambda: treadle.make_mesh((1,), ("x",)),
        "an abstract mesh": lambda: mesh.abstract_mesh,
        "a kind of axes": lambda: AxisType.Auto,
        "a sharding": lambda: NamedSharding(mesh, P("x")),
        "a sharding over one device": lambda: SingleDeviceSharding(treadle.devices()[0]),
        "a device": lambda: treadle.devices()[0],
        "a format": lambda: Format(Layout((0, 1)), SingleDeviceSharding(treadle.devices()[0])),
        "a layout": lambda: Layout((0, 1)),
        "a structure": lambda: treadle.tree.structure((1, {"a": 2})),
        "a key of a path": lambda: tree_util.DictKey("a"),
        "a partial function": lambda: tree_util.Partial(abs, 1),
        "a type": lambda: treadle.ShapeDtypeStruct((2,), tnp.float32),
        "a shaped array": lambda: treadle.core.ShapedArray((2,), np.dtype("float32")),
        "an array's type": lambda: treadle.typeof(x),
        "a dimension": lambda: export.symbolic_shape("n", scope=scope)[0],
        "a scope": export.SymbolicScope,
        "a jaxpr": lambda: treadle.make_jaxpr(increased)(1.0),
        "an exported function": lambda: export.export(treadle.jit(increased))(1.0),
        "a jitted function": lambda: treadle.jit(increased),
        "a custom function": lambda: treadle.custom_jvp(increased),
        "a reference": lambda: treadle.new_ref(x),
        "a precision": lambda: lax.Precision.HIGHEST,
        "numbers of dimensions": lambda: lax.GatherDimensionNumbers((1,), (0,), (0,)),
        "a zero": lambda: treadle.custom_derivatives.SymbolicZero(treadle.typeof(x)),
        "no effects": lambda: treadle.make_jaxpr(increased)(1.0).effects,
    }


VALUES: Final = public_values()
ARRAYS: Final[dict[str, Callable[[], Any]]] = {
    "an array": lambda: tnp.ones((2, 3)),
    "a scalar": lambda: tnp.float32(1),
    "a key": lambda: random.key(0),
    "several keys": lambda: random.split(random.key(0), 2),
}


def is_asked_by_numpy(value: Any) -> bool:
    """Return whether NumPy's types, and our scalar types, compare equal to its `dtype`, which no hash can follow."""
    return not isinstance(value, type) and hasattr(value, "dtype")


@pytest.mark.parametrize("name", VALUES)
def test_with_any_object(name: str) -> None:
    """An answer, the same from both sides, and the opposite of `!=`."""
    value = VALUES[name]()
    for what, other in HOSTILE.items():
        equal = value == other
        assert equal in (True, False), what
        assert (value != other) is (not equal), what
        if not is_asked_by_numpy(value):
            assert (other == value) == equal, what
        assert (other != value) is not (other == value), what


@pytest.mark.parametrize("name", VALUES)
def test_with_each_other(name: str) -> None:
    """Each is equal to itself, and equal ones have the same hash."""
    value = VALUES[name]()
    assert value == value
    for what, made in VALUES.items():
        other = made()
        equal = value == other
        assert equal in (True, False), what
        assert (value != other) is (not equal), what
        if equal and isinstance(value, np.dtype) is isinstance(other, np.dtype):
            asked = is_asked_by_numpy(value) or is_asked_by_numpy(other)
            assert asked or hash(value) == hash(other), what


@pytest.mark.parametrize("name", sorted(VALUES.keys() - {"a dimension", "a reference"}))
def test_with_arrays_of_numpy(name: str) -> None:
    """NumPy compares its arrays with any object element by element.

    A dimension becomes an array, which has a value in a program only; a reference says that it is none.
    """
    value = VALUES[name]()
    if isinstance(value, (P, tuple)):
        return  # sequences, which NumPy makes arrays of
    for array in (np.ones(3), np.array(["a", "b", "c"]), np.array([None, object(), 1])):
        for found in (value == array, array == value, value != array, array != value):
            assert isinstance(found, bool) or found.shape == (3,)


@pytest.mark.parametrize("what", sorted(HOSTILE.keys() - {*OPERANDS}))
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_with_any_object(name: str, what: str) -> None:
    """A value that is not an operand is unequal to an array, as usual in Python, also while it is traced."""

    def compared(value: Any) -> Any:
        other = HOSTILE[what]
        assert (value == other) is False
        assert (value != other) is True
        assert (other == value) is False
        assert (other != value) is True
        return value

    compared(ARRAYS[name]())
    treadle.jit(compared)(ARRAYS[name]())
    treadle.vmap(compared)(ARRAYS[name]()[None])
    if name in ("an array", "a scalar"):
        treadle.vjp(compared, ARRAYS[name]())


@pytest.mark.parametrize("name", [name for name in VALUES if name.startswith("tnp.")])
def test_element_types_and_numpy_types_as_keys(name: str) -> None:
    """Either is found where the other one is a key."""
    scalar = VALUES[name]()
    assert scalar == scalar.dtype == scalar
    assert {scalar: 1}[scalar.dtype.type] == {scalar.dtype.type: 1}[scalar] == 1


@given(st.text() | st.binary() | st.tuples(st.text(), st.integers()) | st.lists(st.text()))
@settings(max_examples=100, deadline=None)
def test_element_types_with_drawn_objects(other: Any) -> None:
    """Exactly what NumPy's type says."""
    for name in ("float32", "bfloat16", "int4", "bool_"):
        scalar = getattr(tnp, name)
        assert (scalar == other) is (scalar.dtype == other)
        assert (other == scalar) is (scalar == other)


@given(st.lists(st.sampled_from(["x", "y", None, ("x", "y"), ("x",), (), 1, 2.5, b"x", ["x"]])))
@settings(max_examples=100, deadline=None)
def test_specifications_with_tuples(entries: list[Any]) -> None:
    """Equal to the tuple of its entries only, which has its hash; looking for something never raises."""
    spec, other = P("x", ("y", "z"), None), tuple(entries)
    assert (spec == other) is (spec.partitions == other)
    for entry in entries:
        assert spec.count(entry) == (1 if entry in ("x", ("x",), ["x"], None, ()) else 0)
