"""From a call to an executable: what a jitted function remembers, and how it makes what it lacks.

Two memories. `traces` holds programs by structure, types and static values: the function's Python runs once for each.
`entries` holds executables by the same and by where the arguments are. A call that hits does this and no more:
flatten, look up, execute, make arrays, unflatten.

A program that captured tracers of an outer trace belongs to that trace and is not remembered.

Long because a call is told here from its key to its results, in the order in which it happens.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from operator import itemgetter
from types import FrameType
from typing import Any, Final, TypeVar, final

import numpy as np

from treadle_compiler import LoweredModule, lower_program
from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    Atom,
    DonatedError,
    Program,
    Tracer,
    canonical_dtype,
    capture,
    stage,
    type_of,
    user_frame,
    x64_enabled,
)
from treadle_ir.rewrite import optimise
from treadle_ir.tree import Expectation, PyTreeDef, expectation, flatten_leaves_and_structure
from treadle_runtime.array import Buffer, DeviceArray, Key
from treadle_runtime.devices import Device, Placement, base_device, local_default, process_default
from treadle_runtime.dispatch import (
    Launch,
    buffer_on,
    compile_program,
    key_at,
    key_type,
    translated,
)
from treadle_runtime.donation import pair, warn_unusable
from treadle_runtime.placement import device_for, resolve
from treadle_runtime.signature import ENVIRONMENT, Arguments, Split, as_argument

T = TypeVar("T")


@final
@dataclass(frozen=True, slots=True)
class JitOptions:
    """What a user said of how a function is jitted."""

    split: Split
    keep_unused: bool = False
    inline: bool = False
    flags: tuple[
        tuple[str, Any], ...
    ] = ()  # Any: strings, numbers, booleans; checked when compiling
    device: Device | None = None


@final
@dataclass(slots=True)
class Timing:
    """What one signature of a jitted function cost, in seconds; None for what has not happened."""

    function: str
    types: tuple[ArrayType, ...]  # of the arguments
    trace: float = 0.0
    lower: float | None = None
    compile: float | None = None
    first_run: float | None = None
    from_disk: bool = False
    equations: int = 0
    calls: int = field(default=0, repr=False)

    @property
    def signature(self) -> str:
        """The types of the arguments as text, of the first twenty."""
        listed = ", ".join([repr(type) for type in self.types[:20]])
        return listed + (", ..." if len(self.types) > 20 else "")


@final
class Traced:
    """A function staged for one signature."""

    __slots__ = ("_optimised", "captured", "program", "structure", "timing")

    def __init__(
        self, program: Program, captured: tuple[Any, ...], structure: PyTreeDef, timing: Timing
    ) -> None:
        self.program = program
        self.captured = captured
        self.structure = structure
        self.timing = timing
        self._optimised: Program | None = None

    @property
    def portable(self) -> bool:
        """Whether it can be used in other traces: it captured no tracer."""
        return not any([isinstance(each, Tracer) for each in self.captured])

    @property
    def optimised(self) -> Program:
        """The program after the rewriting passes."""
        if self._optimised is None:
            self._optimised = optimise(self.program)
        return self._optimised


@final
class Entry:
    """A compiled signature: everything that a call needs."""

    __slots__ = (
        "captured",
        "donated",
        "executable",
        "execute",
        "expected",
        "fast",
        "handlers",
        "kept",
        "keys",
        "launch",
        "lowered",
        "only",
        "select",
        "structure",
        "traced",
        "types",
        "unflatten",
        "where",
    )

    def __init__(
        self,
        traced: Traced,
        lowered: LoweredModule,
        launch: Launch,
        placement: Placement | None,
        kept: tuple[int, ...],
        captured: tuple[DeviceArray, ...],
        donated: tuple[int, ...],
        arguments: int,
        *,
        fast: bool,
    ) -> None:
        self.traced = traced
        self.lowered = lowered
        self.launch = launch
        self.execute = launch.execute
        self.executable = launch.executable
        self.handlers = launch.handlers
        self.types = launch.types
        self.keys: tuple[Key, ...] = tuple([key_at(type, placement) for type in launch.types])
        self.structure = traced.structure
        self.unflatten: Callable[[list[DeviceArray]], Any] = traced.structure.unflatten
        expected = expectation(traced.structure)
        if expected is not None and expected.regular:
            self.unflatten = expected.build
        self.only = traced.structure.is_leaf()
        self.kept = kept  # indices into (*captured, *leaves)
        self.captured = captured
        self.donated = donated  # indices into the leaves
        self.where = ""
        self.expected: Expectation | None = None  # of the arguments
        self.select = _selector(kept, captured, arguments)
        # Everything is where it is needed, and nothing has to be said of the arguments afterwards.
        self.fast = fast and not donated and not launch.callbacks

    def call(self, leaves: Sequence[DeviceArray]) -> Any:
        """Run it on the leaves of a call; the results in their structure."""
        arrays = leaves if self.select is None else self.select(leaves)
        if self.fast:
            try:
                buffers = self.executable.execute_sharded(
                    [x._buffer for x in arrays]
                ).consume_with_handlers(self.handlers)
            except TypeError:  # an array that has no buffer yet, or none any more
                device = self.launch.device
                buffers = self.execute([buffer_on(x, device) for x in arrays])
            except Exception as error:
                raise translated(error) from error
        else:
            buffers = self.careful(leaves, arrays)
        if self.only:
            return DeviceArray(self.types[0], self.keys[0], None, buffers[0])
        return self.unflatten([*map(DeviceArray, self.types, self.keys, repeat(None), buffers)])

    def careful(self, leaves: Sequence[DeviceArray], arrays: Sequence[DeviceArray]) -> list[Buffer]:
        """Run it where arguments have to be moved or are donated."""
        device = self.launch.device
        buffers = [buffer_on(x, device) for x in arrays]
        if not self.donated:
            return self.execute(buffers)
        given = [leaves[index] for index in self.donated]
        if len({id(x) for x in arrays}) < len(arrays):
            self.refuse_shared(given, arrays)
        for array in given:
            if array._buffer is not None:
                array._host = None  # a view of the buffer: XLA would not give the memory away
        results = self.execute(buffers)
        source = capture()
        for array in given:
            array.vanish(self.where, source)
        return results

    def refuse_shared(self, given: Sequence[DeviceArray], arrays: Sequence[DeviceArray]) -> None:
        """Raise if an array is donated and is an argument a second time."""
        for array in given:
            if sum(x is array for x in arrays) > 1:
                raise DonatedError(
                    f"an array of type {array.type} is {self.where} and is another argument of the same call",
                    fix="copy it first, or do not donate it",
                )


def _selector(
    kept: tuple[int, ...], captured: tuple[DeviceArray, ...], arguments: int
) -> Callable[[Sequence[DeviceArray]], Sequence[DeviceArray]] | None:
    count = len(captured)
    if kept == tuple(range(arguments)) and not count:
        return None
    if not count and len(kept) > 1:
        return itemgetter(*kept)
    first = [captured[index] for index in kept if index < count]
    rest = [index - count for index in kept if index >= count]
    if rest == [*range(arguments)]:
        return lambda leaves: [*first, *leaves]
    return lambda leaves: [*first, *[leaves[index] for index in rest]]


@final
class Making:
    """Makes a value for a key once, even when several threads want it at the same time.

    A thread that would wait for one that (through others) waits for it makes the value itself instead.
    """

    _mutex: Final = threading.Lock()
    _waiting: Final[dict[int, tuple[object, Hashable]]] = {}  # thread: what it waits for

    def __init__(self) -> None:
        self._makers: dict[Hashable, tuple[int, threading.Lock]] = {}  # locked while it is made

    def once(self, key: Hashable, find: Callable[[], T | None], make: Callable[[], T]) -> T:
        """What `find` returns, after `make` (here or in another thread) if it returns None at first."""
        me = threading.get_ident()
        while True:
            with Making._mutex:
                found = find()
                if found is not None:
                    return found
                maker = self._makers.get(key)
                mine = maker is None
                if maker is None:
                    made = threading.Lock()
                    made.acquire()
                    self._makers[key] = (me, made)
                elif self._would_deadlock(maker[0], me):
                    return make()
                else:
                    made = maker[1]
                    Making._waiting[me] = (self, key)
            if mine:
                try:
                    return make()
                finally:
                    with Making._mutex:
                        del self._makers[key]
                    made.release()
            try:
                with made:
                    pass
            finally:
                with Making._mutex:
                    Making._waiting.pop(me, None)

    @staticmethod
    def _would_deadlock(owner: int, me: int) -> bool:
        while owner != me:
            waits = Making._waiting.get(owner)
            if waits is None:
                return False
            making, key = waits
            assert isinstance(making, Making)
            maker = making._makers.get(key)
            if maker is None:
                return False
            owner = maker[0]
        return True


@final
class Memory:
    """What is remembered of one function with one set of options; dies with the function."""

    __slots__ = ("__weakref__", "compiling", "entries", "flat", "timings", "traces", "tracing")

    def __init__(self) -> None:
        self.entries: dict[tuple[Any, ...], Entry] = {}
        self.flat: dict[
            tuple[Any, ...], Entry
        ] = {}  # of calls whose arguments are arrays and nothing else
        self.traces: dict[tuple[Any, ...], Traced] = {}
        self.timings: list[Timing] = []
        self.tracing = Making()
        self.compiling = Making()

    def clear(self) -> None:
        """Forget everything."""
        self.entries.clear()
        self.flat.clear()
        self.traces.clear()
        self.timings.clear()


def environment() -> Any:
    """What programs depend on besides arguments: the width of default types, and what others have added."""
    if ENVIRONMENT:
        return (x64_enabled(), *[each() for each in ENVIRONMENT])
    return x64_enabled()


def trace_function(
    memory: Memory,
    function: Callable[..., Any],
    name: str,
    arguments: Arguments,
    types: tuple[ArrayType, ...],
) -> Traced:
    """The function as a program for arguments of these types, staged if it has not been before."""
    key = (arguments.structure, arguments.statics, environment(), *types)

    def make() -> Traced:
        traced = _stage(function, name, arguments, types)
        memory.timings.append(traced.timing)
        if traced.portable:
            memory.traces[key] = traced
        return traced

    found = memory.traces.get(key)
    if found is not None:
        return found
    return memory.tracing.once(key, lambda: memory.traces.get(key), make)


def _stage(
    function: Callable[..., Any], name: str, arguments: Arguments, types: tuple[ArrayType, ...]
) -> Traced:
    structures: list[PyTreeDef] = []

    def flat(*leaves: Any) -> Sequence[Any]:
        args, kwargs = arguments.rebuilt([*leaves])
        results, structure = flatten_leaves_and_structure(function(*args, **kwargs))
        structures.append(structure)
        return [_result(name, result, structure) for result in results]

    started = time.perf_counter()
    staged = stage(flat, *types)
    elapsed = time.perf_counter() - started
    captured = tuple(
        [as_argument(each) if isinstance(each, np.ndarray) else each for each in staged.captured]
    )
    timing = Timing(name, types, elapsed, equations=len(staged.program.equations))
    return Traced(staged.program, captured, structures[-1], timing)


def _result(name: str, result: Any, structure: PyTreeDef) -> Any:
    if isinstance(result, Array):
        return result
    if isinstance(result, np.ndarray | np.generic) and result.dtype != canonical_dtype(
        result.dtype
    ):
        return result.astype(canonical_dtype(result.dtype))
    try:
        type_of(result)
    except ArgumentError as error:
        error.add_note(f"  while: returning from {name}, whose result is {structure}")
        raise
    return result


@final
@dataclass(frozen=True, slots=True)
class Lowering:
    """A signature lowered but not compiled."""

    traced: Traced
    prepared: Prepared
    module: LoweredModule
    placement: Placement | None
    keys: tuple[Key, ...]  # of the leaves
    name: str
    flags: tuple[tuple[str, Any], ...]  # Any: strings, numbers, booleans


def lower_call(
    memory: Memory,
    function: Callable[..., Any],
    name: str,
    options: JitOptions,
    arguments: Arguments,
    keys: Sequence[Key],
    default: Placement | None,
) -> Lowering:
    """Stage, optimise and lower a function for arguments of these types in these places.

    Raises:
        PlacementError: arguments are committed to different devices.
    """
    types = tuple([key_type(key) for key in keys])
    traced = trace_function(memory, function, name, arguments, types)
    captured: tuple[DeviceArray, ...] = traced.captured
    assert all(type(x) is DeviceArray for x in captured), (
        "only arrays are captured under evaluation"
    )

    def describe(index: int) -> str:
        if index < len(captured):
            return f"captured array {index}"
        return arguments.paths()[index - len(captured)]

    if options.device is not None:
        placement: Placement | None = options.device.committed
    else:
        placement = resolve([*[x._key for x in captured], *keys], default, name, describe)
    prepared = prepare(traced, options, arguments, len(keys))
    started = time.perf_counter()
    module = lower_program(
        prepared.program,
        platform=device_for(placement).backend.platform,
        aliases=prepared.aliases,
    )
    elapsed = time.perf_counter() - started
    if traced.timing.lower is not None:  # the same program for another device
        traced.timing = replace(traced.timing, first_run=None)
        memory.timings.append(traced.timing)
    traced.timing.lower = elapsed
    return Lowering(traced, prepared, module, placement, tuple(keys), name, options.flags)


def compile_call(lowering: Lowering, flags: Mapping[str, Any] | None = None) -> Entry:
    """Compile what was lowered, or take it from the disk."""
    traced, prepared = lowering.traced, lowering.prepared
    device = device_for(lowering.placement)
    started = time.perf_counter()
    launch = compile_program(lowering.module, device, {**dict(lowering.flags), **(flags or {})})
    timing = traced.timing
    timing.compile = time.perf_counter() - started
    timing.from_disk = launch.executable.from_cache
    count = len(traced.captured)
    keys = [*[x._key for x in traced.captured], *lowering.keys]
    base = base_device()
    here = all(
        (k[1].device if type(k := keys[i]) is tuple else base) is device for i in prepared.kept
    )
    donated = tuple(sorted(prepared.kept[index] - count for index in prepared.aliases))
    entry = Entry(
        traced,
        lowering.module,
        launch,
        lowering.placement,
        prepared.kept,
        traced.captured,
        donated,
        len(lowering.keys),
        fast=here,
    )
    entry.where = f"donated to {lowering.name}"
    return entry


@final
@dataclass(frozen=True, slots=True)
class Prepared:
    """A program ready to be lowered: optimised, without unused parameters, donation decided."""

    program: Program
    kept: tuple[int, ...]  # the parameters that are left, by index among captured and leaves
    aliases: dict[int, int]  # parameter that is left to result


def prepare(traced: Traced, options: JitOptions, arguments: Arguments, count: int) -> Prepared:
    """Optimise a program, drop what it does not use, and decide which results take over which buffers."""
    program = traced.optimised
    first = len(traced.captured)
    assert len(program.parameters) == first + count
    types: list[ArrayType] = [p.type for p in program.parameters]  # type: ignore[misc]  # no tokens
    results: list[ArrayType] = [r.type for r in program.results]  # type: ignore[misc]
    asked = [first + index for index in arguments.donated()]
    pairs = pair(types, results, asked)
    unusable = [types[index] for index in asked if index not in pairs]
    if unusable:
        warn_unusable(unusable, stacklevel=_user_level())
    used: set[Atom] = {*program.results}
    used.update(*[equation.operands for equation in program.equations])
    kept = tuple(
        [
            index
            for index, parameter in enumerate(program.parameters)
            if options.keep_unused or parameter in used or index in pairs
        ]
    )
    left = Program(
        tuple([program.parameters[index] for index in kept]), program.equations, program.results
    )
    return Prepared(left, kept, {kept.index(index): result for index, result in pairs.items()})


def _user_level() -> int:
    """How many frames above the function that warns the user's code is, for `warnings.warn`."""
    target = user_frame()
    frame: FrameType | None = sys._getframe(0)
    level = 1
    while frame is not None and frame is not target:
        frame, level = frame.f_back, level + 1
    return level


def default_now() -> Placement | None:
    """Where uncommitted work goes now; None: to the base device."""
    return local_default.get() or process_default[0]
