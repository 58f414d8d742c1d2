"""From a program to a compiled call: donation, unused arguments, lowering, compilation."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, final

from treadle_compiler import LoweredModule, lower_program
from treadle_ir import ArrayType, Atom, Program
from treadle_ir.errors import capture, user_stacklevel
from treadle_ir.events import DonationRefused, Request, emit, listeners
from treadle_ir.process import frozen
from treadle_ir.settings import DEBUG_INFS, DEBUG_NANS, ROLL, current_context
from treadle_ir.tracing import Arguments, positional_names
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.jitting.advice import announced
from treadle_runtime.jitting.caches import FunctionCache
from treadle_runtime.jitting.compiled_call import CompiledCall
from treadle_runtime.jitting.donation import donated_leaves, donations_of, pair, warn_unusable
from treadle_runtime.jitting.known import with_known
from treadle_runtime.jitting.options import JitOptions
from treadle_runtime.jitting.shardings import outputs_of
from treadle_runtime.jitting.statics import Key
from treadle_runtime.jitting.traced import Traced
from treadle_runtime.jitting.tracing import trace_function
from treadle_runtime.launch import compile_program
from treadle_runtime.placement.explicit import (
    over_placed,
    sharded_types,
    shardings_of,
    shardings_of_program,
)
from treadle_runtime.placement.partition import memories, partitioning, placement_for
from treadle_runtime.placement.placement import (
    PlacedType,
    Placement,
    committed,
    default_of_results,
)
from treadle_runtime.placement.sharding import Sharding
from treadle_runtime.settings import CONSTANTS_BYTES, CONSTANTS_FRAMES


@final
@frozen
class Lowering:
    """A signature lowered but not compiled."""

    traced: Traced
    captured: tuple[DeviceArray, ...]  # and the arrays computed from them
    prepared: Prepared
    module: LoweredModule
    placement: Placement
    operands: tuple[PlacedType, ...]  # the leaves
    name: str
    flags: tuple[tuple[str, Any], ...]  # Any: strings, numbers, booleans
    wanted: tuple[Sharding | None, ...] = ()  # of the results, where several devices were asked for

    @property
    def types(self) -> tuple[ArrayType, ...]:
        """The types of the leaves."""
        return tuple([operand.type for operand in self.operands])

    @property
    def input_shardings(self) -> list[Sharding]:
        """The required sharding of each leaf: its own on the same devices, otherwise the sharding of the program."""
        where = self.placement
        return [
            each.placement.sharding if each.placement.devices == where.devices else where.sharding
            for each in self.operands
        ]


def lower_call(
    cache: FunctionCache,
    function: Callable[..., Any],
    name: str,
    options: JitOptions,
    arguments: Arguments,
    statics: Key | None,
    operands: Sequence[PlacedType],
    platform: str | None = None,
    request: Request | None = None,
) -> Lowering:
    """Stage, optimise and lower a function for arguments of these types in these places.

    Args:
        platform: the target platform, if it differs from the platform of the placements.
        request: the call that it is for, for events.

    Raises:
        PlacementError: arguments are committed to different places.
    """
    with over_placed(operands):
        return _lowered(
            cache, function, name, options, arguments, statics, operands, platform, request
        )


def _lowered(
    cache: FunctionCache,
    function: Callable[..., Any],
    name: str,
    options: JitOptions,
    arguments: Arguments,
    statics: Key | None,
    operands: Sequence[PlacedType],
    platform: str | None,
    request: Request | None,
) -> Lowering:
    types = sharded_types(operands)
    traced = trace_function(cache, function, name, arguments, statics, types)
    _warn_of_constants(captured_arrays(traced), traced, name)
    program, captured = with_known(traced.optimised, captured_arrays(traced))

    def describe(index: int) -> str:
        if index < len(captured):
            return f"captured array {index}"
        return arguments.paths(positional_names(function))[index - len(captured)]

    everything = [*[x.placed for x in captured], *operands]
    wanted: list[Sharding | None] = []
    if options.outputs is not None:
        wanted = outputs_of(options.outputs, traced.structure, name)
    if options.device is not None:
        placement = committed(options.device)
    else:
        asked = [each for each in wanted if each is not None]
        default = default_of_results()
        placement = placement_for(program, everything, default, name, describe, asked)
    requested = wanted
    by_rule = shardings_of(shardings_of_program(traced.program), placement)
    if by_rule:
        given = wanted or [None] * len(by_rule)
        wanted = [one or two for one, two in zip(given, by_rule, strict=True)]
    target = platform or placement.device.backend.platform
    if options.passes:
        from treadle_runtime.jitting.user_passes import with_passes  # noqa: PLC0415 - few functions have passes

        program = with_passes(program, options.passes)
    program = _rolled(program, options.roll or ROLL(), target)
    prepared = prepare(program, len(captured), options, arguments)
    if listeners:
        _tell_refusals(function, name, options, arguments, types, prepared.results)
    used = [everything[index] for index in prepared.kept]
    over = partitioning(placement, used, prepared.results, wanted)
    where = memories(placement, used, len(prepared.results), requested)
    started = time.perf_counter()
    module = lower_program(
        prepared.program,
        name=name,
        platform=target,
        aliases=prepared.aliases,
        partitioning=over,
        memories=where,
        request=request,
    )
    elapsed = time.perf_counter() - started
    if traced.timing.lower is not None:  # the same program for another device
        traced.timing = replace(traced.timing, first_run=None)
        cache.timings.append(traced.timing)
    traced.timing.lower = elapsed
    return Lowering(
        traced,
        captured,
        prepared,
        module,
        placement,
        tuple(operands),
        name,
        options.flags,
        tuple(wanted),
    )


def _tell_refusals(
    function: Callable[..., Any],
    name: str,
    options: JitOptions,
    arguments: Arguments,
    types: Sequence[ArrayType],
    results: Sequence[ArrayType],
) -> None:
    """Tell listeners which donated arrays keep their memory, and why."""
    split = options.split
    if split.donate_argnums or split.donate_argnames:
        names = positional_names(function)
        for each in donations_of(split, arguments, types, results, names):
            if each.refusal:
                emit(
                    DonationRefused(
                        name,
                        function,
                        each.argument,
                        each.type,
                        each.refusal,
                        each.others,
                        capture(),
                    )
                )


_SMALL: Final = 100  # equations, below which a program compiles quickly anyway


def _rolled(program: Program, how: str, platform: str) -> Program:
    """Return the program that is compiled: with scans in the place of unrolled loops, where that is wanted.

    Args:
        program: the program, optimised.
        how: `off`; `auto`, for loops that are certain to win, which was measured on the CPU; or `all`.
        platform: the platform for which it is compiled.
    """
    if how == "off" or (how == "auto" and platform != "cpu"):
        return program
    most = max([len(each.equations) for each in (program, *program.nested())])
    if how == "auto" and most < _SMALL:
        return program
    from treadle_ir.rewrite import certain_to_win, every, map_programs, roll  # noqa: PLC0415 - for large programs

    choose = every if how == "all" else certain_to_win
    return map_programs(program, lambda each: roll(each, choose))


def _warn_of_constants(captured: Sequence[DeviceArray], traced: Traced, name: str) -> None:
    """Warn of a function that has captured arrays of many bytes, as the settings say."""
    least = CONSTANTS_BYTES()
    total = sum([array.type.nbytes for array in captured])
    if least < 0 or total < least or not captured:
        return
    lines = [
        f"{name} has captured arrays of {total} bytes, which it keeps in memory as long as it lives; pass them as "
        "arguments, or raise the limit (captured_constants_warn_bytes)"
    ]
    most = CONSTANTS_FRAMES()
    largest = sorted(range(len(captured)), key=lambda index: -captured[index].type.nbytes)
    for index in largest if most < 0 else largest[:most]:
        parameter = traced.program.parameters[index]
        users = [e.source.show() for e in traced.program.equations if parameter in e.operands]
        lines.append(f"  {captured[index].type}, used at {users[0] if users else 'no place'}")
    warnings.warn("\n".join(lines), UserWarning, stacklevel=user_stacklevel())


def captured_arrays(traced: Traced) -> tuple[DeviceArray, ...]:
    """Return the captured arrays of a program that was staged under evaluation, so that none is a tracer."""
    arrays = [each for each in traced.captured if isinstance(each, DeviceArray)]
    assert len(arrays) == len(traced.captured), "only arrays are captured under evaluation"
    return tuple(arrays)


def compile_call(lowering: Lowering, flags: Mapping[str, Any] | None = None) -> CompiledCall:
    """Compile a lowered program, or load it from the disk cache. Any: the values of XLA's flags."""
    traced, prepared = lowering.traced, lowering.prepared
    started = time.perf_counter()
    with announced(lowering.name, traced.program, len(lowering.module.text)):
        launch = compile_program(
            lowering.module,
            lowering.placement,
            {**dict(lowering.flags), **(flags or {})},
            lowering.wanted,
        )
    timing = traced.timing
    timing.compile = time.perf_counter() - started
    timing.from_disk = launch.executable.from_cache
    count = len(lowering.captured)
    return CompiledCall(
        lowering.name,
        traced,
        launch,
        lowering.operands,
        lowering.captured,
        prepared.kept,
        tuple(sorted(prepared.kept[index] - count for index in lowering.module.donated)),
    )


@final
@frozen
class Prepared:
    """A program ready to be lowered: optimised, without unused parameters, donation decided."""

    program: Program
    kept: tuple[int, ...]  # the parameters that are left, by index among captured and leaves
    aliases: dict[int, int]  # parameter that is left to result

    @property
    def results(self) -> list[ArrayType]:
        """The types of the results, whose shardings placements have."""
        return [r.type.unsharded for r in self.program.results]  # type: ignore[misc]  # no tokens


def prepare(program: Program, first: int, options: JitOptions, arguments: Arguments) -> Prepared:
    """Drop what a program does not use, and decide which results take over which buffers.

    Its first parameters, up to number `first`, stand for captured arrays.
    """
    types: list[ArrayType] = [p.type.unsharded for p in program.parameters]  # type: ignore[misc]  # no tokens
    results: list[ArrayType] = [r.type.unsharded for r in program.results]  # type: ignore[misc]
    asked = [first + index for index in donated_leaves(options.split, arguments)]
    context = current_context()
    if context.get(DEBUG_NANS) or context.get(
        DEBUG_INFS
    ):  # what is not finite is looked for with the arguments
        asked = []
    pairs = pair(types, results, asked)
    unusable = [types[index] for index in asked if index not in pairs]
    if unusable:
        warn_unusable(unusable)
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
    place = {index: number for number, index in enumerate(kept)}
    return Prepared(left, kept, {place[index]: result for index, result in pairs.items()})
