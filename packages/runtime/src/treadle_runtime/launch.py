"""Starting compiled programs: buffers in, buffers out, errors in our words, and waiting for effects."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

import treadle_compiler as compiler
from treadle_compiler import check_fork, jaxlib
from treadle_ir import ArrayType, Equation, Program, TreadleError
from treadle_ir.core import unsharded
from treadle_ir.errors import ExecutionError
from treadle_ir.primitives.foreign import ForeignCall
from treadle_ir.primitives.memory import DEVICE_MEMORY
from treadle_ir.process import fork_safe_lock
from treadle_runtime.arrays.array import Buffer
from treadle_runtime.arrays.deleted import Deleted
from treadle_runtime.client import execution_error
from treadle_runtime.client.failures import too_large
from treadle_runtime.client.peers import met
from treadle_runtime.host.validated import InPlace, Validated
from treadle_runtime.placement.placement import PlacedType, Placement, placement_of
from treadle_runtime.placement.sharding import Sharding

if TYPE_CHECKING:
    from treadle_compiler import LoadedExecutable, LoweredCallback, LoweredModule


def translated(error: Exception, results: Sequence[ArrayType] = ()) -> Exception:
    """Return the exception to raise instead of an exception of jaxlib; other exceptions are returned unchanged."""
    if isinstance(error, jaxlib().core.JaxRuntimeError):
        return execution_error(error, results)
    return error


@final
class Launch:
    """A compiled program on its devices, with everything that a call of it needs."""

    __slots__ = (
        "callbacks",
        "executable",
        "execute",
        "foreign",
        "handlers",
        "ordered",
        "placement",
        "results",
    )

    def __init__(
        self,
        executable: LoadedExecutable,
        placement: Placement,
        results: tuple[PlacedType, ...],
        callbacks: tuple[Validated, ...] = (),
        *,
        ordered: bool = False,
        foreign: Sequence[Equation] = (),
    ) -> None:
        self.executable = executable
        self.placement = placement  # of the operands, and of the devices that it runs on
        self.results = results
        self.callbacks = callbacks
        self.ordered = ordered
        self.handlers = placement.device.backend.handlers(
            [
                (
                    compiler.device_shape(placed.type),
                    compiler.device_dtype(placed.type.dtype),
                    placed.placement.sharding.raw(len(compiler.device_shape(placed.type))),
                )
                for placed in results
            ]
        )
        self.foreign = tuple(foreign)  # calls of native functions
        self.execute = self.run_with_callbacks if callbacks or foreign else self.run

    @property
    def types(self) -> list[ArrayType]:
        """The types of the results."""
        return [placed.type for placed in self.results]

    def run(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Start it; results come without waiting.

        Raises:
            ExecutionError: it failed at once. A failure that comes later shows when a result is read.
        """
        try:
            results: list[Buffer] = self.executable.execute_sharded(buffers).consume_with_handlers(
                self.handlers
            )
        except jaxlib().core.JaxRuntimeError as error:
            raise execution_error(error, self.types) from error
        return results

    def run_with_callbacks(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Start a program that calls Python or native code; an exception of a callback is raised unchanged.

        It waits for a program with ordered callbacks, so that the callbacks of the next program come after them.
        """
        core = jaxlib().core
        if self.ordered and buffers:
            if None in map(_present, buffers):
                raise TypeError("an array has no buffer")  # as execute_sharded would report
            core.batched_block_until_ready([*buffers])  # else the program might be deferred
        try:
            started = self.executable.execute_sharded(buffers, with_tokens=True)
            token = started.consume_token()
            results: list[Buffer] = started.consume_with_handlers(self.handlers)
            if self.ordered or self.placement.device.platform == "cpu":
                # The CPU calls back on this very thread, so nothing is lost by waiting, and exceptions are here.
                token.block_until_ready()
            else:
                _pend(token)
            if len(self.placement.devices) > 1:
                self._raise_of_callbacks()
        except core.JaxRuntimeError as error:
            self._raise_of_callbacks()
            # on entering a callback, before it could be noted there
            if "KeyboardInterrupt" in str(error):
                raise KeyboardInterrupt from None
            raise self._located(execution_error(error, self.types)) from error
        return results

    def _located(self, error: TreadleError) -> TreadleError:
        """Return the error with the calls of native functions that it may come from: XLA does not say which."""
        calls = [_shown(each) for each in self.foreign[:_MOST_SHOWN]]
        if not calls or type(error) is not ExecutionError:
            return error
        more = len(self.foreign) - len(calls)
        listed = "; ".join(calls) + (f"; and {more} more" if more else "")
        return ExecutionError(f"{error}; it calls {listed}")

    def _raise_of_callbacks(self) -> None:
        """Raise what a callback has raised, if one has."""
        for callback in self.callbacks:
            raised = callback.take_error()
            if raised is not None:
                raise raised from None


_MOST_SHOWN: Final = 5


def _shown(equation: Equation) -> str:
    """Return a call of a native function, with the line that made it."""
    assert isinstance(equation.primitive, ForeignCall)
    where = equation.source.show().partition(":  ")[0]
    return f"{equation.primitive.target_name!r}{f' at {where}' if where else ''}"


_pending: Final[list[Any]] = []  # tokens of programs with callbacks that may still be running
_lock: Final = fork_safe_lock()


def _pend(token: Any) -> None:
    with _lock:
        _pending.append(token)
        late = _pending.pop(0) if len(_pending) > 64 else None
    if late is not None:
        late.block_until_ready()


def effects_barrier() -> None:
    """Wait until all callbacks of programs started so far have run.

    Example:
        >>> from treadle_runtime import debug_callback, jit
        >>> seen = []
        >>> jit(lambda x: debug_callback(lambda x: seen.append(float(x)), x))(2.0)
        >>> effects_barrier()
        >>> seen
        [2.0]
    """
    check_fork()
    with _lock:
        waiting = [*_pending]
        _pending.clear()
    for token in waiting:
        token.block_until_ready()


def compile_program(
    lowered: LoweredModule,
    placement: Placement,
    flags: Mapping[str, object] | None = None,
    wanted: Sequence[Sharding | None] = (),
) -> Launch:
    """Compile a lowered program for the devices of a placement, and make it ready to be called.

    `wanted` are the shardings that were requested for its results. The callbacks that inspect shardings of arrays
    within the program are called here.

    Raises:
        ForkError: in a process forked after XLA had been started.
    """
    check_fork()
    callbacks = _checked_callbacks(lowered, answers=len(placement.devices) > 1)
    devices = placement.devices
    noting = None
    if met:
        from treadle_runtime.distributed.agreement import agree  # noqa: PLC0415 - only with several processes

        noting = agree(lowered, devices)
    seen: dict[int, Any] = {}  # what XLA says of each inspection: a sharding of jaxlib's
    asked = len(lowered.inspections) if lowered.partitioning is not None else 0
    inspectors = [functools.partial(seen.__setitem__, number) for number in range(asked)]
    raised: list[BaseException] = []  # by functions of the user's that XLA has called
    partitioners = [
        functools.partial(_parts_of, each, placement, lowered.platform, raised)
        for each in lowered.custom_parts
    ]
    try:
        executable = compiler.compile_lowered(
            lowered,
            devices[0].backend.raw,
            [device.raw for device in devices],
            flags=flags,
            host_callbacks=[
                _with_token(checked) if each.ordered else checked for each, checked in callbacks
            ],
            inspectors=inspectors,
            partitioners=partitioners,
        )
    except compiler.CompileError:
        if raised:
            raise raised[0] from None
        raise
    if noting is not None and compiler.has_collectives(compiler.optimized_hlo(executable)):
        executable.execute_sharded = noting(executable.execute_sharded)
    types: tuple[ArrayType, ...] = unsharded(lowered.program.result_types)  # type: ignore[arg-type]  # no tokens
    places = _places_of_results(executable, lowered, types, placement, wanted)
    results = [
        place.of(type) for type, place in zip(types, places, strict=True) if place is not None
    ]
    if len(results) < len(types):  # XLA chose unequal parts of some, which are asked for whole
        assert lowered.partitioning is not None, "the results of one device are not in parts"
        even = [
            ((),) * type.ndim if place is None else layout
            for type, place, layout in zip(types, places, lowered.partitioning.results, strict=True)
        ]
        return compile_program(compiler.repartitioned(lowered, even), placement, flags, wanted)
    if lowered.inspections:
        from treadle_runtime.placement.partition import inner_sharding  # noqa: PLC0415 - rarely needed

        for number, asking in enumerate(lowered.inspections):
            asking.callback(inner_sharding(seen.get(number), placement, asking.ndim))
    return Launch(
        executable,
        placement,
        tuple(results),
        tuple([checked for _, checked in callbacks]),
        ordered=any([effect.ordered for effect in lowered.program.effects]),
        foreign=_foreign_calls(lowered.program),
    )


def _checked_callbacks(
    lowered: LoweredModule, *, answers: bool
) -> list[tuple[LoweredCallback, Validated]]:
    """Return the callbacks of a module, each with what makes it safe for XLA."""
    found = []
    for each in lowered.callbacks:
        assert isinstance(each, compiler.LoweredCallback)
        expected = [(type.shape, type.dtype) for type in each.results]
        checked = (
            InPlace(each, answers=answers)
            if each.in_place
            else Validated(each, expected, answers=answers)
        )
        found.append((each, checked))
    return found


def _places_of_results(
    executable: LoadedExecutable,
    lowered: LoweredModule,
    types: Sequence[ArrayType],
    placement: Placement,
    wanted: Sequence[Sharding | None],
) -> Sequence[Placement | None]:
    """Return the placements of a program's results; None for a result that XLA has cut into unequal shards."""
    kinds = [DEVICE_MEMORY] * len(types)
    if lowered.memories is not None:
        kinds = [kind or DEVICE_MEMORY for kind in lowered.memories.results]
    if placement.sharding.num_devices == 1:
        places = [
            placement if each is None else placement_of(each, committed=True)
            for each in wanted or [None] * len(types)
        ]
        return [_in_memory(place, kind) for place, kind in zip(places, kinds, strict=True)]
    from treadle_runtime.placement.partition import result_placements  # noqa: PLC0415 - only over several devices

    return result_placements(executable, placement, types, wanted, kinds)


def _foreign_calls(program: Program) -> list[Equation]:
    """Return the calls of native functions in a program and in those within it."""
    return [
        equation
        for each in (program, *program.nested())
        for equation in each.equations
        if isinstance(equation.primitive, ForeignCall)
    ]


def _parts_of(
    part: compiler.CustomPart,
    placement: Placement,
    platform: str,
    raised: list[BaseException],
    operands: list[Any],
    results: list[Any],
) -> tuple[str, list[Any], list[Any]]:
    """Return what the user's partitioner makes of a call while XLA partitions the program. Any: jaxlib's shardings."""
    try:
        types = part.operands, part.results
        return part.partitioner.parts(placement, platform, types, (operands, results))
    except BaseException as error:
        raised.append(error)
        raise


def _in_memory(placement: Placement, kind: str) -> Placement:
    """Return the placement in a kind of memory, committed unless it is the default: arrays are there on request."""
    if kind == DEVICE_MEMORY:
        return placement
    return placement_of(placement.sharding.with_memory_kind(kind), committed=True)


def check_results_fit(types: Sequence[ArrayType], placement: Placement) -> None:
    """Refuse results that the host has no memory for, before XLA compiles a program with them.

    XLA would report this as well, but too late: it compiles loops over them first, which may never end, and the
    operations that follow wait forever.

    Raises:
        OutOfMemoryError: the results have more bytes than can be allocated.
    """
    if placement.on_host:
        size = sum([type.nbytes for type in types])
        try:
            np.empty(size, np.uint8)  # costs nothing while nothing is written to it
        except (MemoryError, ValueError):  # too large for the memory, or for any
            raise too_large(size, types) from None


def _present(buffer: Buffer) -> bool | None:
    return None if buffer is None or type(buffer) is Deleted else True


def _with_token(checked: Validated) -> Callable[..., object]:
    """Return an ordered callback as XLA calls it: a token, which has no value, goes in and comes out first."""

    def function(_: None, *operands: Any) -> tuple[Any, ...]:  # Any: NumPy arrays
        return (None, *checked(*operands))

    return function
