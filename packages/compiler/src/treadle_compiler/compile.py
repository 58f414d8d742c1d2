"""From a lowered module to an executable: what this process has already, else the disk, else XLA."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from weakref import WeakValueDictionary

from treadle_compiler.custom_parts import PartFunction, partitioned_by
from treadle_compiler.executable import LoadedExecutable
from treadle_compiler.lower import LoweredModule
from treadle_compiler.options import (
    CompileOptions,
    CompilerEffortLevel,
    Effort,
    ProgramProfile,
    choose,
    effort_level,
)
from treadle_compiler.persistent import DiskCache, compile_cached
from treadle_compiler.settings import (
    COMPILATION_CACHE_DIR,
    COMPILATION_CACHE_MAX_SIZE,
    DISABLE_MOST_OPTIMIZATIONS,
    ENABLE_COMPILATION_CACHE,
    MEMORY_FITTING_LEVEL,
    OPTIMIZATION_LEVEL,
)
from treadle_compiler.xla import memory_stats, with_inspectors
from treadle_ir import ArrayType, Elementwise, Program
from treadle_ir.core import Contraction, Creation, InlineCall, Rearrangement
from treadle_ir.events import ExecutableFound, ProgramCompiled, heard, tell
from treadle_ir.primitives.call import Checkpoint, OptimizationBarrier
from treadle_ir.primitives.reduce import Reduction
from treadle_ir.process import fork_safe_lock
from treadle_ir.rewrite import enabled

_alive: Final[WeakValueDictionary[tuple[Any, ...], LoadedExecutable]] = WeakValueDictionary()
# The executables that were wanted last, for programs that are made again and again.
_recent: Final[deque[LoadedExecutable]] = deque(maxlen=64)
_lock: Final = fork_safe_lock()
# by what the settings said, the last few
_disk: Final[dict[tuple[str | None, int], DiskCache]] = {}


def disk_cache() -> DiskCache | None:
    """The cache on disk that the settings and the environment variables say; None where they say none."""
    if not ENABLE_COMPILATION_CACHE():
        return None
    folder, limit = COMPILATION_CACHE_DIR(), COMPILATION_CACHE_MAX_SIZE()
    with _lock:
        found = _disk.get((folder, limit))
        if found is None:
            if len(_disk) >= _DISKS:
                _disk.clear()
            path = None if folder is None else os.path.expanduser(folder)
            found = _disk[folder, limit] = DiskCache(path, limit=None if limit < 0 else limit)
    return found


def forget_disk() -> None:
    """Open the cache on disk again when it is next wanted; stored executables stay."""
    with _lock:
        _disk.clear()


def forget_executables() -> None:
    """Release the executables that are stored for programs that come again."""
    with _lock:
        _recent.clear()
        _alive.clear()


_DISKS: Final = 8


_EFFORTS: Final[dict[str, Effort]] = {"O0": "quick", "O1": "light", "O2": "full", "O3": "full"}
_LEVEL_SETTINGS: Final = {
    "optimization_level": OPTIMIZATION_LEVEL,
    "memory_fitting_level": MEMORY_FITTING_LEVEL,
}
_LEAST: Final = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
_BARRIER: Final = "stablehlo.optimization_barrier"
_BIG_DOT: Final = 1 << 12  # elements of the larger operand: from here on it is worth optimising
_FUSED: Final = (Elementwise, InlineCall, Rearrangement, Creation, OptimizationBarrier)


def profile_of(lowered: LoweredModule) -> ProgramProfile:
    """Return what decides how much effort compiling a program is worth."""
    equations = largest = 0
    loop = dot = False
    again: list[Program] = []
    for program in (lowered.program, *lowered.program.nested()):
        equations += len(program.equations)
        for value in program.parameters:
            largest = max(largest, value.type.nbytes)
        for equation in program.equations:
            flows = equation.primitive.flows()
            loop = loop or (flows is not None and flows.iterations is not None)
            if isinstance(equation.primitive, Checkpoint) and equation.primitive.recomputes:
                again.append(equation.primitive.program)
            for result in equation.results:
                largest = max(largest, result.type.nbytes)
            if isinstance(equation.primitive, Contraction):
                sizes = [
                    atom.type.size for atom in equation.operands if isinstance(atom.type, ArrayType)
                ]
                dot = dot or max(sizes, default=0) > _BIG_DOT
    barriers = bool(again) and _BARRIER in lowered.text
    return ProgramProfile(
        lowered.platform,
        equations,
        largest,
        has_loop=loop,
        has_big_dot=dot,
        keeps_barriers=barriers,
        fuses=barriers and _fuses(lowered.program, again),
    )


def _fuses(program: Program, again: Sequence[Program]) -> bool:
    """Return whether XLA might make one loop of it all: elementwise, but for reductions that are not repeated."""
    for each in (program, *program.nested()):
        if not all(isinstance(e.primitive, (*_FUSED, Reduction)) for e in each.equations):
            return False
    seen = {id(inner): inner for each in again for inner in (each, *each.nested())}
    return all(isinstance(e.primitive, _FUSED) for each in seen.values() for e in each.equations)


def options_for(
    profile: ProgramProfile, devices: Sequence[Any], flags: Mapping[str, object] | None = None
) -> CompileOptions:
    """Return the options for a program of this profile on these devices (jaxlib's), with a user's flags.

    Raises:
        ArgumentError: the flags are not strings, numbers and booleans by name.
    """
    asked = dict(flags) if isinstance(flags, Mapping) else {}
    fitting = _level("memory_fitting_level", asked.pop("memory_fitting_level", None))
    level = _level("optimization_level", asked.pop("optimization_level", None))
    chosen = replace(
        choose(profile),
        num_partitions=len(devices),
        device_ids=tuple(device.id for device in devices),
        rewrites=bool(enabled()),  # who switches ours off wants none of XLA's either
        memory_fitting=fitting.value,
    )
    if level is not CompilerEffortLevel.UNKNOWN:
        chosen = replace(chosen, effort=_EFFORTS[level.name], level=level.value)
    if DISABLE_MOST_OPTIMIZATIONS():
        chosen = replace(chosen, effort="quick").with_flags(_LEAST)
    return chosen.with_flags(asked if isinstance(flags, Mapping) else flags)


def _level(option: str, asked: object) -> CompilerEffortLevel:
    """The level of effort that an option of the user asks for, else the setting of the same name."""
    level = CompilerEffortLevel.UNKNOWN if asked is None else effort_level(option, asked)
    if level is CompilerEffortLevel.UNKNOWN:
        level = CompilerEffortLevel[_LEVEL_SETTINGS[option]()]
    return level


def compile_lowered(
    lowered: LoweredModule,
    client: Any,  # a jaxlib client
    devices: Sequence[Any],  # jaxlib devices
    *,
    flags: Mapping[str, object] | None = None,
    host_callbacks: Sequence[Callable[..., object]] = (),
    inspectors: Sequence[Callable[[Any], object]] = (),
    partitioners: Sequence[PartFunction] = (),
) -> LoadedExecutable:
    """Compile a module for its devices, or take the same one from this process or from disk.

    An elementwise program with a `checkpoint` is compiled twice, with its barriers and as XLA would fuse it without
    them, and what needs less memory is taken (`treadle_compiler.options` says why). `host_callbacks` are the
    module's callbacks, made safe by the runtime. `inspectors`, one for each of its inspections, get jaxlib's
    shardings while XLA partitions the program, and must not raise. `partitioners`, one for each call whose user says
    how it is partitioned, are called then, too. Programs with any of these are never shared.

    Raises:
        ArgumentError: the flags are not strings, numbers and booleans by name.
        ArgumentError, CompileError: as `xla.compile_text`.
    """
    profile = profile_of(lowered)
    options = options_for(profile, devices, flags)
    started = time.perf_counter()
    if host_callbacks and not inspectors and not partitioners:
        found = compile_cached(
            client, lowered.text, devices, options, None, host_callbacks, lowered.named
        )
        _tell(lowered, found, started)
        return found
    if inspectors or partitioners:
        text = with_inspectors(lowered.text, inspectors)
        with partitioned_by(text, partitioners, client) as keyed:
            found = compile_cached(client, keyed, devices, options, None, host_callbacks)
        _tell(lowered, found, started)
        return found
    key = (id(client), lowered.text, options)
    known = _alive.get(key)
    if known is not None:
        if heard():
            seconds = time.perf_counter() - started
            _tell_found(lowered, seconds, on_disk=False)
        found = known
    else:
        named = lowered.named
        found = compile_cached(client, lowered.text, devices, options, disk_cache(), (), named)
        if profile.fuses and options.barriers:
            fused = replace(options, barriers=False)
            other = compile_cached(client, lowered.text, devices, fused, disk_cache(), (), named)
            if memory_stats(other).temp_size_in_bytes < memory_stats(found).temp_size_in_bytes:
                found = other
        _alive[key] = found
        _tell(lowered, found, started)
    with _lock:
        _recent.append(found)
    return found


def _tell(lowered: LoweredModule, executable: LoadedExecutable, started: float) -> None:
    """Tell listeners where an executable came from."""
    if heard():
        seconds = time.perf_counter() - started
        if executable.from_cache:
            _tell_found(lowered, seconds, on_disk=True)
        else:
            tell(ProgramCompiled(lowered.name, lowered.platform, seconds, lowered.request))


def _tell_found(lowered: LoweredModule, seconds: float, *, on_disk: bool) -> None:
    """Tell listeners that an executable was there already."""
    tell(ExecutableFound(lowered.name, lowered.platform, on_disk, seconds, lowered.request))
