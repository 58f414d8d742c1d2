"""Mutable references: cells that hold an array, although programs are pure.

A `Ref` is an object of Python, not of the program: it holds its value at this point of the trace, so reads and writes
within one trace need nothing else. It belongs to the trace that was current when it was made. Inside another trace -
the body of a loop, a jitted function, a function that is differentiated - three things can happen:

* Operations that stage their bodies and support refs (`discharged`) are run again with the refs that the bodies use as
  further carries, operands and results: the program is pure, and its results are written back to the refs.
* Where nothing is staged, an outer ref can be read, and written with values that do not depend on the transformation.
* A function with custom derivative rules is staged for one place in the enclosing program (`as_reader`): it can
  read outer refs as it captures other arrays, but not write them, since a rule may run instead of it.
* Everything else is an error, since the write would be lost, happen once, or leave a tracer behind.

This applies to every `Cell`: mutable values of user-defined types are cells that hold trees of arrays.

See decisions/0050-references.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import (
    Any,
    Final,
    NoReturn,
    ParamSpec,
    TypeAlias,
    TypeGuard,
    TypeVar,
    final,
)

import numpy as np

from treadle_ir.calling.operands import as_array
from treadle_ir.core.types import ArrayType
from treadle_ir.errors.argument_checks import flags
from treadle_ir.errors.kinds import ArgumentError, EscapedTracerError
from treadle_ir.errors.tracebacks import boundary
from treadle_ir.primitives.shape import broadcast_in_dim
from treadle_ir.refs.abstract_ref import AbstractRef, described, refuse_options
from treadle_ir.refs.views import Changeable, TransformedRef, Viewed
from treadle_ir.tracing.array import Array, Operand, type_of
from treadle_ir.tracing.staging import StagingTrace
from treadle_ir.tracing.trace import Trace, current_trace
from treadle_ir.tracing.tracer import Tracer
from treadle_ir.tree import flatten_leaves_and_structure

P = ParamSpec("P")
T = TypeVar("T")
Held: TypeAlias = Any  # an array, or a tree of arrays


class Cell(Changeable, ABC):
    """A mutable holder of an array or a tree of arrays: a leaf of trees, which never enters a program."""

    __slots__ = ("__weakref__", "_home", "_lent", "_value")

    def __init__(self, value: Held) -> None:
        self._value = value  # None: frozen or freed
        self._home = current_trace()
        self._lent = False  # lent to a call, which works on its own cell

    @property
    @abstractmethod
    def what(self) -> str:
        """The words for it in messages: `a reference to f32[2]`."""

    @abstractmethod
    def load(self) -> Held:
        """Return the array or tree that it holds."""

    @abstractmethod
    def store(self, value: Held) -> None:
        """Store a value that an operation returned for it."""

    def _keep(self, arrays: Sequence[object]) -> None:
        """Check that the cell may be written, and that arrays which it shall hold do not outlive their traces."""
        self._enter(writes=True)
        for value in arrays:
            if isinstance(value, Tracer) and not _is_within(self._home, value.owner):
                raise EscapedTracerError(
                    f"{self.what} that was made outside of a transformation was written inside, "
                    f"with a traced array ({value.made_by}), which would outlive it",
                    fix="make it inside, and return what it holds in the end",
                )

    def _enter(self, writes: bool = False) -> None:
        """Check that the cell may be read here, or written, and have bodies around this place use it."""
        if self._lent:
            raise ArgumentError(
                f"{self.what} is given to a jitted function, which closes over it, too",
                fix="use the argument inside of the function",
            )
        trace: Trace | None = current_trace()
        home = self._home
        _, _, readers = _discharging.get()
        staged: list[Trace] = []  # innermost first
        while trace is not home:
            if trace is None:
                raise EscapedTracerError(
                    f"{self.what} was used outside of the transformation that it was made in",
                    fix="return what it holds, `ref[...]` of a reference",
                )
            if isinstance(trace, StagingTrace) and (writes or trace not in readers):
                staged.append(trace)
            trace = trace.parent
        if staged and not _find(self, staged):
            _refuse_staged(self)


@boundary
@final
class Ref(Cell, Viewed):
    """A cell that holds an array, which `ref[...]` reads and `ref[...] = x` replaces; made by `new_ref`.

    `ref[index]` reads elements, `ref[index] = x` writes them, with the indices that arrays take; `x` has their
    shape and element type. A ref is not an array: operations take `ref[...]`.
    """

    __slots__ = ("_known",)

    def __init__(self, value: Array) -> None:
        super().__init__(value)
        self._known = type_of(value)

    @property
    def _type(self) -> ArrayType:
        return self._known

    @property
    def what(self) -> str:
        """The words for it in messages."""
        return f"a reference to {self._type.strong()}"

    @property
    def aval(self) -> AbstractRef:
        """Its abstract value."""
        return AbstractRef(self._type)

    @property
    def sharding(self) -> Any:  # Any: devices belong to distributions above this one
        """The sharding of the array that it holds; AttributeError if it is not known yet."""
        return self._read().sharding

    @property
    def format(self) -> Any:  # Any: as above
        """The sharding and the memory layout of the array; AttributeError if they are not known yet."""
        held: Any = self._read()
        return held.format

    @property
    def committed(self) -> bool:
        """Whether the array that it holds is committed to its devices."""
        return self._read().committed

    def unsafe_buffer_pointer(self) -> int:
        """Return the address of the array that it holds now in the memory of its device; a write changes it."""
        return self._read().unsafe_buffer_pointer()

    def __len__(self) -> int:
        """The size of the first axis."""
        if not self.ndim:
            raise TypeError("len() of a reference to a scalar")
        return self.shape[0]

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise ArgumentError(
            f"a reference to {self._type.strong()} is not an array", fix="read it with `ref[...]`"
        )

    def __reduce__(self) -> NoReturn:
        raise ArgumentError(
            f"a reference to {self._type.strong()} cannot be copied or pickled",
            fix="make another one with new_ref(ref[...])",
        )

    def __repr__(self) -> str:
        if self._value is None:
            return f"Ref(frozen, {self.aval!r})"
        text = repr(self._value)
        return text.replace("Array(", "Ref(", 1) if text.startswith("Array(") else f"Ref({text})"

    def _read(self) -> Array:
        if self._value is None:
            raise ArgumentError(
                f"the reference to {self._type.strong()} was used after it was frozen or freed",
                fix="use what `freeze` returned, or make a new reference",
            )
        self._enter()
        return self._value  # type: ignore[no-any-return]  # an array, as the constructor says

    def _write(self, value: Array) -> None:
        self._keep((value,))
        self._value = value

    def load(self) -> Array:
        """Return the array."""
        return self._read()

    def store(self, value: Held) -> None:
        """Replace the array."""
        self[...] = value


def _refuse_staged(cell: Cell) -> NoReturn:
    raise ArgumentError(
        f"{cell.what} that was made outside is used in a function that is staged, as under "
        "shard_map or a lowering: it would be read and written once, when the function is staged",
        fix="make it inside, or pass what it holds, `ref[...]` of a reference, and write what comes back",
    )


def _is_within(trace: Trace | None, other: Trace) -> bool:
    while trace is not None and not trace.accepts_tracers_of(other):
        trace = trace.parent
    return trace is not None


# --- for users ---------------------------------------------------------------------------------------


def new_ref(
    init_val: Operand | bool | int | float | complex,
    *,
    memory_space: None = None,
    kind: None = None,
    pin: bool = False,
) -> Ref:
    """Return a new mutable reference that holds an array.

    A function that is jitted, vectorised or differentiated can use the references that it makes; the bodies of loops
    and branches can also use references from outside. A jitted function takes references as arguments, and writes to
    them. Arrays that were read from a reference never change.

    Args:
        init_val: the array that it holds at first, or a number.
        memory_space, kind, pin: options about memory, which must have their defaults.

    Raises:
        ArgumentError: `init_val` is neither an array nor a number.
        UnsupportedError: a memory is requested.

    Example:
        >>> import numpy as np
        >>> ref = new_ref(np.float32(1.0))
        >>> ref[...] = 2.5
        >>> print(ref[...])
        2.5
    """
    flags("new_ref", pin=pin)
    refuse_options("new_ref", memory_space=memory_space, kind=kind, pin=True if pin else None)
    return Ref(as_array(init_val))


def empty_ref(ty: Any, memory_space: None = None, pin: bool = False) -> Ref:
    """Return a new mutable reference to zeros, of the shape and the element type of `ty`.

    Raises:
        ArgumentError: `ty` has no shape and element type.
        UnsupportedError: a memory is requested.

    Example:
        >>> import numpy as np
        >>> empty_ref(np.ones((2, 3), np.float32)).shape
        (2, 3)
    """
    flags("empty_ref", pin=pin)
    refuse_options("empty_ref", memory_space=memory_space, pin=True if pin else None)
    type = described("empty_ref", ty)
    zero: np.generic = type.dtype.type(0)
    return Ref(as_array(broadcast_in_dim(zero, shape=type.shape, dimensions=())))


# --- operations that stage their bodies ---------------------------------------------------------------


@final
class _Operation:
    """An operation that is `discharged`: the cells that its bodies use, and the operations within these.

    If the enclosing operation runs again, the operation at the same place of the same body is this object, and has its
    cells already. So nested loops are staged twice, whatever their depth, and not twice for each time that the loop
    around them is staged.
    """

    __slots__ = ("bodies", "cells", "forgets", "inner")

    def __init__(self, forgets: bool) -> None:
        self.forgets = forgets  # see `discharged`
        self.cells: Sequence[Cell] = ()
        self.bodies = 0  # the number of bodies staged since its last run began
        self.inner: dict[Hashable, _Operation] | None = None


@final
class _CellsUsed(BaseException):
    """Raised when a body used cells from outside: the operation must be run again with them.

    It is not an `Exception`, which the code of users might catch.
    """

    def __init__(self, operation: _Operation | None, cells: Sequence[Cell]) -> None:
        super().__init__("cells were used in a body")
        self.operation = operation
        self.cells = cells


@final
class _Frame:
    """A body that is being staged, the operation that it belongs to, and the cells that it uses and was not given.

    Until the body ends, these cells hold parameters of its program, so that all of them are found; the program is then
    discarded. If an enclosing body will be discarded, so will this one: then cells hold their outer values.
    """

    __slots__ = ("_before", "in_vain", "number", "operation", "operations", "trace")

    def __init__(self, trace: Trace, operation: _Operation | None) -> None:
        self.trace = trace
        self.operation = operation
        self.number = 0  # of the body
        self.operations = 0  # the number of operations in it so far
        self.in_vain = False  # it uses cells that it was not given, and will be discarded
        self._before: list[tuple[Cell, Held, Trace]] = []  # with their previous values and homes
        if operation is not None:
            self.number = operation.bodies
            operation.bodies += 1

    def find(self, cell: Cell, around_in_vain: bool) -> None:
        """Give the body a parameter for a cell, which holds it until `restore`."""
        trace, operation = self.trace, self.operation
        assert isinstance(trace, StagingTrace)
        assert operation is not None
        self._before.append((cell, cell._value, cell._home))
        if not (around_in_vain and operation.forgets):
            self.in_vain = True
            cell._home = current_trace()
            leaves, structure = flatten_leaves_and_structure(cell.load())
            held = [trace.parameter(type_of(leaf).strong()) for leaf in leaves]
            cell._value = structure.unflatten(held)
        elif not any([cell is known for known in operation.cells]):
            operation.cells = (*operation.cells, cell)
        cell._home = trace

    def found(self) -> list[Cell]:
        """Return the cells, in the order of their first uses."""
        return [cell for cell, _, _ in self._before]

    def restore(self) -> None:
        """Restore the previous values and homes of the cells."""
        for cell, held, home in self._before:
            cell._value, cell._home = held, home

    def next_operation(self, run: Callable[..., object], forgets: bool) -> _Operation:
        """Return the next operation of the body: the existing object if the body has been staged before."""
        operation = self.operation
        assert operation is not None
        place = self.number, self.operations, getattr(run, "__code__", None)
        self.operations += 1
        inner = operation.inner
        if inner is None:
            inner = operation.inner = {}
        known = inner.get(place)
        if known is None:
            known = inner[place] = _Operation(forgets)
        known.bodies = 0
        return known


_Discharging: TypeAlias = tuple[_Operation | None, tuple[_Frame, ...], tuple[Trace, ...]]
"""The operation that is staging a body, the bodies that are being staged, outermost first, and the traces of functions
that may read cells, see `as_reader`. A plain tuple, since each operation with a body makes two."""

_NOTHING: Final[_Discharging] = (None, (), ())
_discharging: Final[ContextVar[_Discharging]] = ContextVar("treadle_refs", default=_NOTHING)


def _find(cell: Cell, traces: Sequence[Trace]) -> bool:
    """Let the bodies of these traces, innermost first, use a cell, and return whether all of them may."""
    _, frames, _ = _discharging.get()
    if not {id(trace) for trace in traces}.issubset([id(frame.trace) for frame in frames]):
        return False
    in_vain = False
    for frame in frames:
        if any([frame.trace is trace for trace in traces]):
            frame.find(cell, in_vain)
        in_vain = in_vain or frame.in_vain
    return True


def discharged(run: Callable[[tuple[Cell, ...]], T], *, forgets: bool = False) -> T:
    """Return the result of `run`, given the cells from outside that the bodies which it stages use.

    `run` is called without cells first, and again whenever a body uses cells that it was not given. Within a body that
    is staged again it is called with the final cells at once. If it `forgets`, so that nothing stores what it stages,
    it is called only once within a body that will be discarded, and its result is then meaningless.
    """
    _, frames, readers = _discharging.get()
    operation = frames[-1].next_operation(run, forgets) if frames else _Operation(forgets)
    if operation.cells:
        operation.cells = usable(operation.cells)
    while True:
        token = _discharging.set((operation, frames, readers))
        try:
            return run(tuple(operation.cells))
        except _CellsUsed as used:
            if used.operation is not operation:
                raise
            known = {*map(id, operation.cells)}
            more = [cell for cell in used.cells if id(cell) not in known]
            operation.cells = (*operation.cells, *more)
            operation.bodies = 0
        finally:
            _discharging.reset(token)


def as_body(function: Callable[P, T]) -> Callable[P, T]:
    """Wrap a body so that the operation that stages it discharges its cells, if that operation is `discharged`."""

    def body(*args: P.args, **kwargs: P.kwargs) -> T:
        operation, frames, readers = _discharging.get()
        frame = _Frame(current_trace(), operation)
        if operation is not None:
            frames = (*frames, frame)
        token = _discharging.set((None, frames, readers))
        try:
            result = function(*args, **kwargs)
            if not frame.in_vain:
                return result
        except Exception:
            if (
                not frame.in_vain
            ):  # else it is raised again when the body gets the cells that it uses
                raise
        finally:
            _discharging.reset(token)
            frame.restore()
        raise _CellsUsed(operation, frame.found())

    body.__wrapped__ = function  # type: ignore[attr-defined]  # for messages
    return body


def as_reader(function: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function, staged once for each place at which it is called, so that it may read cells from outside."""

    def reader(*args: P.args, **kwargs: P.kwargs) -> T:
        trace = current_trace()
        if not isinstance(trace, StagingTrace):
            return function(*args, **kwargs)
        operation, frames, readers = _discharging.get()
        token = _discharging.set((operation, frames, (*readers, trace)))
        try:
            return function(*args, **kwargs)
        finally:
            _discharging.reset(token)

    return reader


@contextmanager
def holding(cells: Sequence[Cell], values: Sequence[Held]) -> Iterator[Callable[[], list[Held]]]:
    """Let cells hold other values, of the current trace, in the context; yield a function that returns their values."""
    before = [(cell._value, cell._home) for cell in cells]
    try:
        for cell, value in zip(cells, values, strict=True):
            cell._value, cell._home = value, current_trace()
        yield lambda: [cell.load() for cell in cells]
    finally:
        for cell, (held, home) in zip(cells, before, strict=True):
            cell._value, cell._home = held, home


@contextmanager
def lending(cells: Sequence[Cell]) -> Iterator[None]:
    """Refuse the use of cells in the context, in which a call works on other cells for them."""
    try:
        for cell in cells:
            cell._lent = True
        yield
    finally:
        for cell in cells:
            cell._lent = False


def usable(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells that can be used under the current trace and are not frozen."""
    trace = current_trace()
    return [cell for cell in cells if cell._value is not None and _is_within(trace, cell._home)]


def store(cells: Sequence[Reference], values: Sequence[Held]) -> None:
    """Store the values that an operation returned for cells."""
    for cell, value in zip(cells, values, strict=True):
        cell.store(value)


# --- references among the arguments of operations ------------------------------------------------------


Reference: TypeAlias = Cell | TransformedRef


def is_reference(leaf: object) -> TypeGuard[Reference]:
    """Return whether a leaf of arguments is a cell or a view of a cell."""
    return isinstance(leaf, Changeable)


def cell_of(reference: Reference) -> Cell:
    """Return the cell of a reference, which is a cell or a view of a cell."""
    return reference.ref if isinstance(reference, TransformedRef) else reference  # type: ignore[return-value]  # views are of references


def without_references(
    leaves: Sequence[Any],
) -> tuple[list[Any], Callable[[Sequence[Any]], list[Any]]]:
    """Return the leaves that are not references, and a function that inserts the references into such a list of leaves.

    With it, an operation whose body may close over references takes them as arguments, too.
    """
    rest = [leaf for leaf in leaves if not is_reference(leaf)]
    if len(rest) == len(leaves):
        return rest, list

    def whole(others: Sequence[Any]) -> list[Any]:
        remaining = iter(others)
        return [leaf if is_reference(leaf) else next(remaining) for leaf in leaves]

    return rest, whole


def references_once(
    name: str, references: Sequence[Reference], paths: Callable[[], Sequence[str]]
) -> list[Cell]:
    """Return the cells of an operation's references, each of which must be given once; `paths` names the arguments.

    Raises:
        ArgumentError: a cell is given twice, directly or by its views.
    """
    first: dict[
        int, int
    ] = {}  # by the id of a cell, the number of the reference that it is given by
    for number, reference in enumerate(references):
        before = first.setdefault(id(cell_of(reference)), number)
        if before != number:
            given = paths()
            raise ArgumentError(
                f"{name}: {cell_of(reference).what} is given as {given[before]} and as {given[number]}",
                fix="pass it once",
            )
    return [cell_of(reference) for reference in references]


class HeldTree(ABC):
    """The value of a cell other than a `Ref`: a node of trees, which determines the class of its cell."""

    @abstractmethod
    def in_cell(self) -> Cell:
        """Return a new cell that holds it."""


def new_cell(value: Held) -> Cell:
    """Return a new cell for the value of another cell."""
    return value.in_cell() if isinstance(value, HeldTree) else Ref(value)
