"""Settings of the runtime: which transfers are let through, what runs at all, which devices there are."""

from __future__ import annotations

from typing import Final

from treadle_ir.settings import Setting, one_of, whole_number, yes_or_no
from treadle_runtime.client.start import backends
from treadle_runtime.garbage import GARBAGE_GUARD as GARBAGE_GUARD

_LEVELS: Final = (None, "allow", "log", "disallow", "log_explicit", "disallow_explicit")
_SAYS: Final = (
    "`allow`, `log` or `disallow` what a program does by itself; `log_explicit` and `disallow_explicit` also "
    "what `device_put` and `device_get` are asked for."
)

TRANSFER_GUARD: Final = Setting(
    "transfer_guard",
    None,
    parse=one_of(*_LEVELS),
    instrumented=True,
    help=f"Transfers in all directions: {_SAYS}",
)
HOST_TO_DEVICE: Final = Setting(
    "transfer_guard_host_to_device",
    None,
    parse=one_of(*_LEVELS),
    instrumented=True,
    help="Transfers of NumPy arrays, and of numbers that a compiled function is called with, to a device. None says "
    "what `transfer_guard` says.",
)
DEVICE_TO_DEVICE: Final = Setting(
    "transfer_guard_device_to_device",
    None,
    parse=one_of(*_LEVELS),
    instrumented=True,
    help="Transfers of arrays from one device to another. None says what `transfer_guard` says.",
)
DEVICE_TO_HOST: Final = Setting(
    "transfer_guard_device_to_host",
    None,
    parse=one_of(*_LEVELS),
    instrumented=True,
    help="Transfers of arrays to the host, as `np.asarray(x)` and `float(x)` make them. What is on the CPU is on the "
    "host, and never transferred. None says what `transfer_guard` says.",
)
NO_EXECUTION: Final = Setting(
    "no_execution",
    False,
    parse=yes_or_no,
    instrumented=True,
    help="Running an operation or a compiled function is an error; tracing and compiling is not.",
)
CONSTANTS_BYTES: Final = Setting(
    "captured_constants_warn_bytes",
    2_000_000_000,
    parse=whole_number(least=-1),
    keyed=False,
    help="A function that is compiled and has captured arrays of so many bytes together is warned of; -1 never warns.",
)
CONSTANTS_FRAMES: Final = Setting(
    "captured_constants_report_frames",
    0,
    parse=whole_number(least=-1),
    keyed=False,
    help="The warning of `captured_constants_warn_bytes` names so many of the arrays with the line that uses them; "
    "-1 names all.",
)
THREAD_GUARD: Final = Setting(
    "thread_guard",
    False,
    parse=yes_or_no,
    keyed=False,
    help="No effect: it orders the operations of several processes by thread; treadle compares their programs instead.",
)
CPU_COLLECTIVES: Final = Setting(
    "cpu_collectives_implementation",
    "gloo",
    parse=one_of("gloo", "mpi", "none", None),
    keyed=False,
    help="What moves data between the CPUs of several processes: `gloo`, or `none` where they only compute each for "
    "itself. `mpi` is refused. Before `distributed.initialize`.",
)
GRACE: Final = Setting(
    "distributed_grace_seconds",
    10,
    parse=whole_number(least=0),
    keyed=False,
    help="When a process of several is lost, the others have so many seconds to end by themselves, or to call "
    "`distributed.shutdown`; then they are ended.",
)
RECOVERABILITY: Final = Setting(
    "enable_recoverability",
    False,
    parse=yes_or_no,
    keyed=False,
    help="When a process of several is lost, the others are not ended; what needs the lost one still fails.",
)
PROGRAM_CHECK: Final = Setting(
    "distributed_program_check",
    True,
    parse=yes_or_no,
    keyed=False,
    help="Before the first launch of a program over the devices of several processes, they compare its text, so that "
    "different programs are an error and do not hang.",
)


def _set_platforms(value: str | None) -> None:
    backends.configure(platforms=value)


def _set_devices(value: int) -> None:
    if value > 0:
        backends.configure(num_cpu_devices=value)


def _set_asynchronous(value: bool) -> None:
    backends.configure(cpu_asynchronous=value)


def _text_or_none(value: object) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, (list, tuple)):
        return ",".join([str(each) for each in value])
    return str(value)


PLATFORMS: Final = Setting(
    "platforms",
    None,
    parse=_text_or_none,
    keyed=False,
    applied=_set_platforms,
    help="The platforms to use, best first, with commas between them. Before the first array or compiled call.",
)
PLATFORM_NAME: Final = Setting(
    "platform_name",
    None,
    parse=_text_or_none,
    keyed=False,
    applied=_set_platforms,
    help="The platform to use first. Before the first array or compiled call.",
)
NUM_CPU_DEVICES: Final = Setting(
    "num_cpu_devices",
    -1,
    parse=whole_number(),
    keyed=False,
    applied=_set_devices,
    help="How many devices the CPU shows; -1 leaves it to XLA_FLAGS. Before the first array or compiled call.",
)
CPU_ASYNC: Final = Setting(
    "cpu_enable_async_dispatch",
    True,
    parse=yes_or_no,
    keyed=False,
    applied=_set_asynchronous,
    help="Calls on the CPU return before their results are there; off is quicker for many small calls each of whose "
    "results is read at once. Before the first array or compiled call. `TREADLE_CPU_ASYNC=0` is the same as off.",
)
