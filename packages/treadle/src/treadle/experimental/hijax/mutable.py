"""Types of a library's own whose values change.

A value of such a type is a leaf for programs, as a reference is: a cell (`refs.Cell`). What the cell holds at a
point of a trace is a `State`: the arrays that the value is made of there, and what is known of them, as a library says
it (JAX's "quasi-dynamic data", here `qdd`). Jit, loops and branches pass the states in and out. A value that was made
outside is the library's own object; within transformations the library's functions are shown `MutableTracer`s. See
decisions/0090-types-whose-values-change.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Final, TypeAlias, final
from weakref import WeakValueDictionary

from treadle.core import AbstractValue
from treadle.experimental.hijax.types import HiTracer, HiType, aval_method, missing
from treadle_ir import Array, MissingRuleError, UnsupportedError
from treadle_ir.calling import as_array
from treadle_ir.errors import refused
from treadle_ir.process import frozen
from treadle_ir.refs import Cell, HeldTree
from treadle_ir.tracing import ROOT, running
from treadle_ir.tree import (
    Dims,
    Form,
    MappingSpec,
    opened_by,
    register_opaque,
    register_pytree_node,
)

HiVal: TypeAlias = Any  # Any: a value of a user-defined class
QDD: TypeAlias = Any  # Any: a library's information about a value at a point of a program


class MutableHiType(HiType):
    """A type of a library's own whose values change: derive from it, and register the class of its values.

    What is known of a value at a point of a program, its `qdd`, is an object that is compared and hashed, by what its
    `normalize()` returns if it has that. The value's method `cur_qdd()` returns it. It says by `lo_ty_qdd` which arrays
    the value is made of there: these may become more, or others. (A type with `has_qdd = False` is as any `HiType`.)
    Operations on such values are `HiPrimitive`s. Differentiation asks for `to_tangent_aval`, and of a `qdd` for
    `to_tangent_qdd()`.

    Example:
        >>> from dataclasses import dataclass
        >>> import treadle
        >>> from treadle.experimental.hijax import HiPrimitive, MutableHiType, register_hitype
        >>> class Counter:
        ...     def __init__(self, count):
        ...         self.count = count
        ...     def cur_qdd(self):
        ...         return treadle.typeof(self.count)
        >>> @dataclass(frozen=True)
        ... class CounterType(MutableHiType):
        ...     def lo_ty_qdd(self, qdd):
        ...         return [qdd]
        ...     def read_loval(self, qdd, counter):
        ...         return [counter.count]
        ...     def new_from_loval(self, qdd, count):
        ...         return Counter(count)
        ...     def update_from_loval(self, qdd, counter, count):
        ...         counter.count = count
        >>> register_hitype(Counter, lambda counter: CounterType())
        >>> class Add(HiPrimitive):
        ...     def abstract_eval(self, counter, x):
        ...         return x, {"count"}
        ...     def to_lojax(self, counter, x):
        ...         counter.count = counter.count + x
        ...         return counter.count
        >>> add = Add("add")
        >>> counter = Counter(treadle.numpy.int32(1))
        >>> print(treadle.jit(add.bind)(counter, treadle.numpy.int32(2)), counter.count)
        3 3
    """

    has_qdd: bool = True

    def lo_ty_qdd(self, state: QDD, /) -> list[Any]:  # Any: `ShapedArray`s
        """Return the types of the arrays that a value is made of where `state` is known of it."""
        raise missing(self, "lo_ty_qdd", "every transformation")

    def new_from_loval(self, state: QDD, /, *vals: Any) -> HiVal:
        """Another value, of these arrays."""
        raise missing(self, "new_from_loval", "every transformation")

    def read_loval(self, state: QDD, val: HiVal, /) -> list[Any]:
        """Return the arrays of a value."""
        raise missing(self, "read_loval", "every transformation")

    def update_from_loval(self, state: QDD, val: HiVal, /, *lo_vals: Any) -> None:
        """Let a value be made of these arrays from now on."""
        raise missing(self, "update_from_loval", "a function that changes its argument")

    type_state = aval_method(lambda value: cur_qdd(value))


_themselves: Final[ContextVar[bool]] = ContextVar("treadle_values_themselves", default=False)


@contextmanager
def among_themselves() -> Iterator[None]:
    """Within it operations are done to the objects themselves: where a type's methods, or `to_lojax`, are at work."""
    token = _themselves.set(True)
    try:
        yield
    finally:
        _themselves.reset(token)


def is_among_themselves() -> bool:
    """Return whether operations are done to the objects themselves."""
    return _themselves.get()


class AvalQDD(AbstractValue):
    """A type whose values change, with what is known of one: the result of `abstract_eval` for a new value.

    Example:
        >>> from treadle.experimental.hijax import AvalQDD, MutableHiType
        >>> AvalQDD(MutableHiType(), ()).qdd
        ()
    """

    has_qdd: bool = True
    is_high: bool = True

    def __init__(self, aval: AbstractValue, qdd: QDD) -> None:
        self.aval = aval
        self.qdd = qdd

    def lo_ty(self) -> list[Any]:  # Any: `ShapedArray`s
        """Return the types of the arrays that a value is made of."""
        found: list[Any] = _mutable(self.aval).lo_ty_qdd(self.qdd)
        return found

    def new_from_loval(self, *lovals: Any) -> HiVal:
        """Another value, of these arrays."""
        with among_themselves():
            return _mutable(self.aval).new_from_loval(self.qdd, *lovals)

    def read_loval(self, val: HiVal) -> list[Any]:
        """Return the arrays of a value."""
        with among_themselves():
            return _mutable(self.aval).read_loval(self.qdd, val)

    def to_tangent_aval(self) -> AvalQDD:
        """Return the type of tangents."""
        return AvalQDD(_mutable(self.aval).to_tangent_aval(), self.qdd.to_tangent_qdd())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AvalQDD) and (self.aval, self.qdd) == (other.aval, other.qdd)

    def __hash__(self) -> int:
        return hash((self.aval, self.qdd))

    def __repr__(self) -> str:
        return f"AvalQDD(aval={self.aval}, qdd={self.qdd})"


class MutableQDD:
    """What is known of a value before an operation, and after it: `abstract_eval` updates it."""

    def __init__(self, init_val: QDD) -> None:
        self.init_val = init_val
        self.cur_val = init_val

    def update(self, val: QDD) -> None:
        """Say what is known after the operation."""
        self.cur_val = val

    def __repr__(self) -> str:
        return f"MutableQDD(init_val={self.init_val}, cur_val={self.cur_val})"


class AvalMutableQDD:
    """The type of an argument whose values change, as `abstract_eval` sees it: it may update `mutable_qdd`.

    Example:
        >>> from treadle.experimental.hijax import AvalMutableQDD, MutableHiType
        >>> from treadle.experimental.hijax.mutable import MutableQDD
        >>> aval = AvalMutableQDD(MutableHiType(), MutableQDD((1,)))
        >>> aval.mutable_qdd.update((1, 2))
        >>> aval.mutable_qdd.init_val, aval.mutable_qdd.cur_val
        ((1,), (1, 2))
    """

    def __init__(self, aval: AbstractValue, mutable_qdd: MutableQDD) -> None:
        self.aval = aval
        self.mutable_qdd = mutable_qdd

    def __repr__(self) -> str:
        return f"AvalMutableQDD(aval={self.aval}, mutable_qdd={self.mutable_qdd})"


def _mutable(aval: AbstractValue) -> MutableHiType:
    assert isinstance(aval, MutableHiType), aval
    return aval


@final
class State(HeldTree):
    """What a cell of such a value holds: the type, what is known of the value, and its arrays."""

    __slots__ = ("arrays", "known")

    def __init__(self, known: AvalQDD, arrays: Sequence[Any]) -> None:
        self.known = known
        self.arrays = tuple(arrays)

    @property
    def qdd(self) -> QDD:
        """What is known of the value."""
        return self.known.qdd

    def in_cell(self) -> MutableCell:
        """Another cell that holds it."""
        return MutableCell(_mutable(self.known.aval), self)


@final
class _Alike:
    """What is known of a value, as the structure of trees has it: weak types do not tell values apart."""

    __slots__ = ("key", "known")

    def __init__(self, known: AvalQDD) -> None:
        self.known = known
        normalize = getattr(known.qdd, "normalize", None)
        self.key = known.aval, known.qdd if normalize is None else normalize()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Alike) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return repr(self.known)


register_pytree_node(
    State,
    lambda state: (state.arrays, _Alike(state.known)),
    lambda alike, arrays: State(alike.known, arrays),
)


@final
class _Itself:
    """What a cell holds while the library's object holds it."""


_ITSELF: Final = _Itself()


@final
class MutableCell(Cell):
    """A value that changes: an object of the library's, or what stands for one while a function is traced."""

    __slots__ = ("aval", "value")

    def __init__(self, aval: MutableHiType, held: State | _Itself, value: HiVal = None) -> None:
        super().__init__(held)
        self.aval = aval
        self.value = value  # the library's object; None where there is none

    @property
    def what(self) -> str:
        """What it is, for messages."""
        return f"a mutable value of type {self.aval.str_short()}"

    def __repr__(self) -> str:
        return f"<{self.what}>"

    def load(self) -> State:
        """Return the current state: the type and the arrays."""
        self._enter()
        held: object = self._value
        if isinstance(held, State):
            return held
        known = AvalQDD(self.aval, _qdd_of(self.value))
        return State(known, list(map(as_array, known.read_loval(self.value))))

    def qdd(self) -> QDD:
        """Return the current `QDD`, the type information that changes with the value."""
        self._enter()
        held: object = self._value
        return held.qdd if isinstance(held, State) else _qdd_of(self.value)

    def store(self, value: State) -> None:
        """Let it be made of other arrays."""
        self._keep(value.arrays)
        if isinstance(self._value, State):
            self._value = value
        else:
            with among_themselves():
                self.aval.update_from_loval(value.qdd, self.value, *value.arrays)


def _qdd_of(value: HiVal) -> QDD:
    """Return the `QDD` of an object of a user-defined type.

    Raises:
        MissingRuleError: its class does not define `cur_qdd`.
    """
    if not callable(getattr(value, "cur_qdd", None)):
        raise MissingRuleError(
            f"a {type(value).__name__} has no `cur_qdd`, which every transformation asks for",
            fix=f"define `{type(value).__name__}.cur_qdd`: it returns what `lo_ty_qdd` and `read_loval` need to know",
        )
    return value.cur_qdd()


# One cell for each object while there is one, so that what holds its state for a while is found.
_cells: Final[WeakValueDictionary[int, MutableCell]] = WeakValueDictionary()


def cell_of(aval: MutableHiType, value: HiVal) -> MutableCell:
    """Return the cell of an object of a library's."""
    cell = _cells.get(id(value))
    if cell is None:
        with running(ROOT):
            cell = MutableCell(aval, _ITSELF, value)
        _cells[id(value)] = cell
    return cell


@final
class MutableTracer(HiTracer):
    """A value that changes while a function is traced: operations of the library take it."""

    __slots__ = ()

    @property
    def aval(self) -> MutableHiType:
        """Its type."""
        return _mutable(self._aval)

    @property
    def cell(self) -> MutableCell:
        """What it stands for."""
        cell: MutableCell = self.children[0]
        return cell


@final
@frozen
class MutableForm(Form):
    """What a value is besides its cell: its type."""

    mutable: ClassVar[bool] = True
    aval: MutableHiType

    @property
    def fixed(self) -> int:
        """The cell has no tangent."""
        return 1

    def build(self, children: Sequence[Any]) -> HiVal:
        """Return the library's object, or what stands for one."""
        (cell,) = children
        if isinstance(cell, MutableCell) and cell.value is not None:
            return cell.value
        return MutableTracer(self.aval, children)

    def tangent(self, children: Sequence[Any]) -> HiVal:
        """Return the only child: such a value has no tangent of its own."""
        (child,) = children
        return child

    def tangents(self, tangent: HiVal) -> list[Any]:
        """Return the tangents of the only child."""
        return [tangent]

    def mapped(self, spec: MappingSpec, size: int) -> Dims:
        """Refuse: such values are not mapped over."""
        raise self._refused("vmap over")

    def stacked(self, spec: MappingSpec, size: int) -> Dims:
        """Refuse, as above."""
        raise self._refused("vmap that returns")

    def _refused(self, what: str) -> UnsupportedError:
        return UnsupportedError(
            f"{what} a mutable value of type {self.aval.str_short()}",
            fix="read it by an operation of its library, and use arrays",
        )


register_opaque(MutableTracer, lambda value: (value.children, MutableForm(value.aval)))


def mutable_cell(value: object) -> MutableCell | None:
    """Return the cell of a value that changes; None of any other."""
    if isinstance(value, MutableTracer):
        return value.cell
    form = opened_by(value)
    return cell_of(form.aval, value) if isinstance(form, MutableForm) else None


def cur_qdd(x: HiVal) -> QDD:
    """Return the current `QDD` of a value of a `MutableHiType`.

    Raises:
        ArgumentError: `x` is not such a value.

    Example:
        >>> import treadle
        >>> from treadle.experimental.hijax import MutableHiType, register_hitype
        >>> class Named:
        ...     def cur_qdd(self):
        ...         return "known"
        >>> class NamedType(MutableHiType):
        ...     def read_loval(self, qdd, value):
        ...         return []
        >>> register_hitype(Named, lambda value: NamedType())
        >>> treadle.experimental.cur_qdd(Named())
        'known'
    """
    cell = mutable_cell(x)
    if cell is None:
        raise refused("cur_qdd", "x", "a value of a MutableHiType", x)
    return _qdd_of(x) if is_among_themselves() else cell.qdd()


def as_tracer(known: AvalQDD, arrays: Sequence[Array]) -> MutableTracer:
    """Return a new value, of arrays of the current trace."""
    cell = State(known, arrays).in_cell()
    return MutableTracer(cell.aval, [cell])
