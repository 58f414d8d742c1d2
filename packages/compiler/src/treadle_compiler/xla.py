"""Text in, executable out: the only file of this package that asks jaxlib to compile.

jaxlib is imported by `jaxlib()` on first use and never before, so that `import treadle` stays light. Releases
differ (0.10.2, 0.11.2, 0.12); this file asks for features and never compares version numbers. In particular a flag
that we chose ourselves is only tried: if XLA answers that there is no such option, the answer is cached for
that client and the program is compiled without it. That costs 3 ms once, where probing first would cost 3 ms always.

Nothing here makes jaxlib import jax; `test_xla.py` has the tripwire.
"""

from __future__ import annotations

import functools
import os
import platform as host
import re
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_compiler.executable import LoadedExecutable
from treadle_compiler.library import jaxlib as jaxlib, register_hybrid, register_lapack
from treadle_compiler.mlir import brief, parse
from treadle_compiler.options import (
    CompileOptions,
    FlagValue,
    bad_flag_value,
    unknown_flag,
)
from treadle_compiler.partitioning import inspection_mark
from treadle_ir import TreadleError
from treadle_ir.process import frozen

if sys.platform != "win32":
    import resource

Tiles: TypeAlias = list[np.ndarray[Any, np.dtype[np.int64]]]
_UNKNOWN_FLAG: Final = r"No such compile option: '([^']*)'"
_BAD_VALUE: Final = r"While setting option ([^,]+), (.*)"
_ROOM: Final = 128 << 20  # bytes
_NO_TARGET: Final = r"No FFI handler registered for (\S+)"
# How their names begin in lowered text: in MLIR's generic form, and in what libraries' rules build.
LAPACK_CALLS: Final = ('"lapack_', '"tridiagonal_solve_', "@lapack_", "@tridiagonal_solve_")
_HYBRID_CALLS: Final = "cuhybrid_"
_TINY: Final = "func.func public @main(%0: tensor<f32>) -> tensor<f32> { return %0 : tensor<f32> }"

# Names that a typing error can be compared with, beyond those that jaxlib itself can list.
_WELL_KNOWN: Final = (
    "xla_cpu_scheduler_type",
    "xla_cpu_use_fusion_emitters",
    "xla_cpu_use_thunk_runtime",
    "xla_gpu_autotune_level",
    "xla_gpu_enable_latency_hiding_scheduler",
    "xla_gpu_enable_triton_gemm",
)


class CompileError(TreadleError, RuntimeError):
    """XLA refused a program."""


def compile_text(
    client: Any,  # a jaxlib client
    text: str,
    devices: Sequence[Any],  # jaxlib devices, in the order of options.device_ids
    options: CompileOptions,
    host_callbacks: Sequence[Callable[..., object]] = (),
) -> LoadedExecutable:
    """Compile a StableHLO module and load it on its devices.

    A host callback is called with read-only NumPy views and must return a tuple of arrays of exactly the declared
    shapes and dtypes: XLA copies what it gets without looking. Wrap each in treadle_runtime's `Validated`.

    Raises:
        ArgumentError: a flag of the user's is unknown, or has a value of the wrong type.
        CompileError: XLA does not accept the program, or there is no room left to compile in.
    """
    check_room()
    border = jaxlib()
    register_calls(text)
    program = parse(text) if host_callbacks else text
    extra = (list(host_callbacks),) if host_callbacks else ()
    device_list = border.xla_client.DeviceList(tuple(devices))
    lacking = _lacking(client)
    while True:
        flags = _flags(client, options, lacking)
        raw_options = _raw_options(options, flags)
        try:
            raw = client.compile_and_load(program, device_list, raw_options, *extra)
        except border.core.JaxRuntimeError as error:
            name = _unknown_name(error)
            # Of our hints in this attempt; another thread may have found out the same meanwhile.
            hints = flags[: len(flags) - len(options.flags)]
            if name is not None and name in dict(hints):
                lacking.add(name)
                continue
            raise _explained(error, client) from error
        return LoadedExecutable(
            raw,
            devices=tuple(devices),
            options=options,
            platform=client.platform,
            keep_alive=tuple(host_callbacks),
        )


def register_calls(text: str) -> None:
    """Register the custom calls that a module makes: to be done before it is compiled, or loaded from a disk.

    LAPACK's import scipy, so only programs that have linear algebra register them; so does what GPUs leave to the host.
    """
    if any(name in text for name in LAPACK_CALLS):
        register_lapack()
    if _HYBRID_CALLS in text:
        register_hybrid()


def check_room() -> None:
    """Refuse to load code where little is left of a limited address space: LLVM ends the process if it gets no memory.

    Raises:
        CompileError: less than 128 MB are left.
    """
    if sys.platform != "linux":
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:  # as nearly always
        return
    with open("/proc/self/statm", encoding="ascii") as sizes:
        left = limit - int(sizes.read().split()[0]) * resource.getpagesize()
    if left < _ROOM:
        raise CompileError(
            f"no room to compile: {max(left, 0) >> 20} MB are left of the address space that this process may have, "
            "and XLA would end the process if that is not enough",
            fix="raise the limit (`ulimit -v`, or RLIMIT_AS), or delete arrays first",
        )


def supports_flag(
    client: Any,  # a jaxlib client
    name: str,
) -> bool:
    """Return whether this client's XLA has a flag, without compiling anything (some 3 ms, cached)."""
    known = _probed(client)
    if name not in known:
        # The flags are set in order. The second is refused for its value, so the compiler proper never starts,
        # and which of the two is blamed tells whether the first exists.
        flags = [(name, ""), ("xla_backend_optimization_level", "not a number")]
        border = jaxlib()
        device = client.local_devices()[0]
        options = _raw_options(CompileOptions(device_ids=(device.id,)), flags)
        try:
            client.compile_and_load(_TINY, border.xla_client.DeviceList((device,)), options)
        except border.core.JaxRuntimeError as error:
            known[name] = _unknown_name(error) != name
        else:
            known[name] = True
    return known[name]


def serialise(executable: LoadedExecutable) -> bytes:
    """The executable as bytes, for this very jaxlib release and this kind of processor."""
    return bytes(executable.raw.serialize())


def deserialise(
    client: Any,  # a jaxlib client
    data: bytes,
    devices: Sequence[Any],  # jaxlib devices, in the order of options.device_ids
    options: CompileOptions,
) -> LoadedExecutable:
    """Load what `serialise` gave. The bytes must be trusted: loading them runs code.

    Raises:
        CompileError: XLA cannot read the bytes. It does not notice all damage; the caller must.
    """
    border = jaxlib()
    device_list = border.xla_client.DeviceList(tuple(devices))
    try:
        raw = client.deserialize_executable(data, device_list, _raw_options(options, []))
    except border.core.JaxRuntimeError as error:
        raise CompileError(
            f"this is not an executable that jaxlib {border.release} can load: {brief(error)}",
            fix="compile the program again",
        ) from error
    return LoadedExecutable(
        raw,
        devices=tuple(devices),
        options=options,
        platform=client.platform,
        from_cache=True,
    )


@final
@frozen
class MemoryStats:
    """Bytes that one call of a program needs on each device, as XLA planned them."""

    generated_code_size_in_bytes: int
    argument_size_in_bytes: int
    output_size_in_bytes: int
    alias_size_in_bytes: int
    temp_size_in_bytes: int
    host_generated_code_size_in_bytes: int
    host_argument_size_in_bytes: int
    host_output_size_in_bytes: int
    host_alias_size_in_bytes: int
    host_temp_size_in_bytes: int

    @property
    def peak_size_in_bytes(self) -> int:
        """Arguments, results and temporaries together, what is aliased counted once."""
        total = self.argument_size_in_bytes + self.output_size_in_bytes + self.temp_size_in_bytes
        return total - self.alias_size_in_bytes


def memory_stats(executable: LoadedExecutable) -> MemoryStats:
    """Return how much memory a call needs."""
    raw = executable.raw.get_compiled_memory_stats()
    return MemoryStats(
        **{field.name: int(getattr(raw, field.name)) for field in fields(MemoryStats)}
    )


def cost_analysis(executable: LoadedExecutable) -> dict[str, float]:
    """XLA's own estimate of the optimised program: `flops`, `bytes accessed` and more."""
    return {str(name): float(value) for name, value in executable.raw.cost_analysis().items()}


def output_tiles(
    executable: LoadedExecutable,
) -> list[Tiles | None]:
    """Return for each result, and each of its axes, which shard each device has; None if that has no such form.

    A replicated result has no axes here.
    """
    from_proto = jaxlib().xla_client.HloSharding.from_proto
    return [tiles_of(from_proto(proto)) for proto in executable.raw.get_output_shardings() or ()]


def tiles_of(
    sharding: Any,  # an HloSharding of jaxlib
) -> Tiles | None:
    """Return for each axis of an array with a sharding which shard each device has; None if that has no such form."""
    if sharding.is_replicated():
        return []
    sizes = list(sharding.tile_assignment_dimensions())
    devices = np.asarray(sharding.tile_assignment_devices())
    if sharding.is_manual() or not sizes or not devices.size:  # no devices: a sum over all axes
        return None
    places = np.indices(sizes).reshape(len(sizes), -1)
    numbers = np.empty_like(places)
    numbers[:, devices] = places
    axes = len(sizes) - len(sharding.subgroup_types() or ())
    axes -= bool(sharding.replicate_on_last_tile_dim())
    return [*numbers[:axes]]


def with_inspectors(text: str, inspectors: Sequence[Callable[[Any], object]]) -> str:
    """A module's text with the addresses of functions where their numbers stand; who calls keeps them alive."""
    for number, inspector in enumerate(inspectors):
        address: bytes = jaxlib().xla_client.encode_inspect_sharding_callback(inspector)
        escaped = "".join([f"\\{byte:02X}" for byte in address])
        text = text.replace(f'"{inspection_mark(number)}"', f'"{escaped}"')
    return text


def optimized_hlo(executable: LoadedExecutable) -> str:
    """The program after XLA's passes, in HLO text."""
    return "\n\n".join(module.to_string() for module in executable.raw.hlo_modules())


def unoptimized_hlo(text: str) -> str:
    """A StableHLO module before XLA's passes, in HLO text.

    Raises:
        CompileError: the text is not a valid module.
    """
    border = jaxlib()
    try:
        return str(border.core.mlir.mlir_module_to_xla_computation(text).as_hlo_text())
    except (border.core.JaxRuntimeError, ValueError) as error:
        raise CompileError(
            f"this StableHLO does not translate to HLO: {brief(error)}",
            fix="if treadle made this text, please report it together with the program",
        ) from error


def platform_fingerprint(
    client: Any,  # a jaxlib client
) -> str:
    """Everything outside a program that decides whether a compiled one may be reused.

    The release of jaxlib (loading another release's executables *succeeds*, silently), the platform and its
    version, the kind and number of devices, the processor, and the flags in the environment.
    """
    devices = client.local_devices()
    parts = [
        jaxlib().release,
        client.platform,
        client.platform_version,
        devices[0].device_kind if devices else "",
        str(client.device_count()),
        processor(),
        environment_flags(os.environ),
    ]
    return "\n".join(parts)


@functools.cache
def processor() -> str:
    """The host's processor: architecture, model, instruction sets, number of cores."""
    parts = [host.system(), host.machine(), str(os.cpu_count())]
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            first = lines.read().partition("\n\n")[0]
    except OSError:
        first = ""
        parts.append(host.processor())
    for line in first.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in {
            "vendor_id",
            "cpu family",
            "model",
            "model name",
            "CPU implementer",
            "CPU part",
        }:
            parts.append(value.strip())
        elif name.strip() in {"flags", "Features"}:
            parts.append(" ".join(sorted(value.split())))
    return "|".join(parts)


def environment_flags(environ: Mapping[str, str]) -> str:
    """The compiler flags in the environment, in order, without those that change no program."""
    words = environ.get("XLA_FLAGS", "").split() + environ.get("LIBTPU_INIT_ARGS", "").split()
    idle = "--xla_force_host_platform_device_count"
    return " ".join(word for word in words if not word.startswith(idle))


def wants_dump(options: CompileOptions, environ: Mapping[str, str]) -> bool:
    """Return whether the user wants to see XLA at work, so that it must really work."""
    asked = any(name.startswith("xla_dump") for name, _ in options.flags)
    return asked or "--xla_dump" in environ.get("XLA_FLAGS", "")


# What was found out about each client, a cache: hints that its XLA lacks, and flags that were probed.
_lacking_by_client: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()
_probed_by_client: weakref.WeakKeyDictionary[Any, dict[str, bool]] = weakref.WeakKeyDictionary()


def _lacking(client: Any) -> set[str]:
    return _lacking_by_client.setdefault(client, set())


def _probed(client: Any) -> dict[str, bool]:
    return _probed_by_client.setdefault(client, {})


# XLA of jaxlib 0.12 does not come to an end at this level for some programs (a NUTS sampler); 0.11 takes seconds.
_ENDLESS: Final = ("xla_backend_optimization_level", 1)
_ENDLESS_FROM: Final = (0, 12)


def _release() -> tuple[int, int]:
    major, minor, *_ = jaxlib().release.split(".")
    return int(major), int(minor)


def _flags(client: Any, options: CompileOptions, lacking: set[str]) -> list[tuple[str, FlagValue]]:
    hints = [flag for flag in options.hints(client.platform) if flag[0] not in lacking]
    if _ENDLESS in hints and _release() >= _ENDLESS_FROM:
        hints.remove(_ENDLESS)
    return hints + list(options.flags)


def _raw_options(options: CompileOptions, flags: Sequence[tuple[str, FlagValue]]) -> Any:
    client = jaxlib().xla_client
    raw = client.CompileOptions()
    build = raw.executable_build_options
    raw.num_replicas = build.num_replicas = options.num_replicas
    raw.num_partitions = build.num_partitions = options.num_partitions
    if options.num_partitions > 1:
        build.use_spmd_partitioning = build.use_shardy_partitioner = True
        # for results without a sharding
        build.allow_spmd_sharding_propagation_to_output = [True]
    grid = np.asarray(options.device_ids, np.int32)
    raw.device_assignment = client.DeviceAssignment.create(
        grid.reshape(options.num_replicas, options.num_partitions)
    )
    if options.level:
        build.optimization_level = options.level
    if options.memory_fitting:
        build.memory_fitting_level = options.memory_fitting
    raw.env_option_overrides = list(flags)
    return raw


def raw_compile_options(
    replicas: int,
    partitions: int,
    devices: Sequence[int] | None,
    flags: Mapping[str, FlagValue],
    profile: bytes | None = None,
    logging: bool = True,
) -> Any:  # Any: jaxlib's
    """jaxlib's options for a program over these devices, by number, with XLA's flags."""
    client = jaxlib().xla_client
    raw = client.CompileOptions()
    build = raw.executable_build_options
    raw.num_replicas = build.num_replicas = replicas
    raw.num_partitions = build.num_partitions = partitions
    build.use_spmd_partitioning = build.use_shardy_partitioner = partitions > 1
    if devices is not None:
        grid = np.asarray(devices, np.int32).reshape(replicas, partitions)
        raw.device_assignment = client.DeviceAssignment.create(grid)
    if profile is not None:
        build.fdo_profile = profile
    build.debug_options.xla_detailed_logging = logging
    raw.env_option_overrides = list(flags.items())
    return raw


def _unknown_name(error: BaseException) -> str | None:
    found = re.search(_UNKNOWN_FLAG, str(error))
    return found.group(1) if found else None


def _explained(error: BaseException, client: Any) -> TreadleError:
    border = jaxlib()
    name = _unknown_name(error)
    if name is not None:
        debug = border.xla_client.CompileOptions().executable_build_options.debug_options
        known = [*_WELL_KNOWN, *(flag for flag in dir(debug) if flag.startswith("xla_"))]
        return unknown_flag(name, release=border.release, platform=client.platform, known=known)
    value = re.search(_BAD_VALUE, str(error))
    if value is not None:
        return bad_flag_value(value.group(1), value.group(2).strip())
    target = re.search(_NO_TARGET, str(error))
    if target is not None:
        return CompileError(
            f"no foreign function is registered for {target.group(1)!r} on platform {client.platform}",
            fix="register it before the first call: `treadle.ffi.register_ffi_target(name, function, platform)`",
        )
    return CompileError(
        f"XLA cannot compile this program: {brief(error)}",
        fix="if the program came from treadle's own lowering, please report it with its text",
    )
