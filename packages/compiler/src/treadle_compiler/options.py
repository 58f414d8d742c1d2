"""How a program is to be compiled: our own value, which does not depend on jaxlib.

`CompileOptions` is immutable and hashable, so that it can be part of a cache key. It tells two kinds of XLA
flags apart. `flags` are what the *user* asked for: they are sent as they are, and a flag that this jaxlib does not
know is an error. Hints are what *we* chose (`effort`, `barriers`, `rewrites`): a jaxlib that lacks one
simply does not get it (`treadle_compiler.xla` finds out).

`choose` picks the effort by program. Measured on XLA:CPU, two quiet cores, least of several, compile ms / run us:

    program                  jaxlib    full         light        quick
    x + x, 10 elements       0.10.2    17.1 / 2.4   16.0 / 2.4   6.8 / 2.4
                             0.12.0    13.1 / 2.6   12.6 / 2.6   11.9 / 2.6
    8 operations, 10         0.10.2    22.9 / 2.4   21.5 / 2.4   10.2 / 2.5
                             0.12.0    19.3 / 2.7   18.9 / 2.7   15.9 / 2.7
    8 operations, 1e3        0.10.2    30.8 / 7.0   28.2 / 7.0   12.1 / 13.4
    200 operations, 1e3      0.10.2    71.5 / 77.6  67.8 / 77.1  24.7 / 385
    8 reductions of 30x30    0.10.2    177 / 11.1   47.6 / 10.4  26.2 / 44.2
                             0.12.0    177 / 11.2   45.2 / 10.4  28.6 / 51.2
    loop of 1000 over 30x30  0.10.2    30.8 / 859   28.6 / 855   10.3 / 3657
                             0.12.0    89.7 / 727   18.8 / 684   11.8 / 3500

So `quick` (LLVM level 0, old fusion emitters where they exist) is free only while next to nothing is computed:
within `QUICK_WORK` and `QUICK_EQUATIONS` it compiles in 0.35 to 0.7 of the time on 0.10.2 and 0.5 to 0.95 on
0.12, and a call costs at most 0.3 us more (0.8 us for a product of 8x8 matrices on 0.10.2), mostly nothing.
`light` (LLVM level 1) loses nothing that could be measured on some thirty programs with arrays within
`LIGHT_BYTES` (a softmax over 4 MB: 7 % slower) and saves up to four fifths where XLA unrolls small inner loops.
Loops of very many small operations are the exception: a solver with adaptive steps and its gradient (2,000 equations,
`LOOP_EQUATIONS`) runs 8 % longer, and compiles at most 7 % sooner.
The old emitters by themselves are not a good default: they are quicker for chains of elementwise operations and up
to twice as slow, in both columns, for small reductions and products.

`barriers` is for programs with a `checkpoint` whose recomputation has to be kept from the forward pass. XLA:CPU of
0.10.2 takes optimization barriers out (its pass `cse_barrier_expander`) before it looks for common subexpressions
for the last time, and so merges the two again; with that pass off the barriers live to the end, where they
cost nothing. 0.12 keeps them by itself. The memory-optimised scheduler alone does not help, and with barriers it
is no better than the default. Measurements are in decision 0016.

Programs that hold nothing but elementwise operations can need less without barriers: XLA would fuse all layers into
one loop that stores nothing (100 x sin: 0 MB), and a barrier stores what goes through it (40 MB). Such programs
compile in tenths of a second, so `compile_lowered` tries both.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, Literal, TypeAlias, final

import numpy as np

from treadle_compiler.digests import sha256
from treadle_ir import ArgumentError
from treadle_ir.process import frozen

FlagValue: TypeAlias = str | int | float | bool
Flags: TypeAlias = tuple[tuple[str, FlagValue], ...]
Effort: TypeAlias = Literal["quick", "light", "full"]

QUICK_WORK: Final = 1024
"""`quick` while equations times the bytes of the largest array stay within this."""

QUICK_EQUATIONS: Final = 16
"""`quick` up to this many equations: a chain of 25 on 10 elements takes 3.4 us instead of 2.9."""

LIGHT_BYTES: Final = 1 << 20
"""`light` while the largest array stays within this; beyond, run time outweighs compile time anyway."""

LOOP_EQUATIONS: Final = 512
"""No `light` for more equations than this where there are loops, see above."""


class CompilerEffortLevel(enum.Enum):
    """How much effort XLA takes, by its own numbers: the options `optimization_level` and `memory_fitting_level`.

    O0 compiles quickest; O2 and O3 make programs run quickest. UNKNOWN leaves it to the setting of that name.

    Example:
        >>> import treadle
        >>> options = {"optimization_level": CompilerEffortLevel.O1}
        >>> print(treadle.jit(lambda x: x + 1, compiler_options=options)(1.0))
        2.0
    """

    UNKNOWN = 0
    O0 = 9
    O1 = 19
    O2 = 29
    O3 = 39


def effort_level(option: str, value: object) -> CompilerEffortLevel:
    """A level that is given as such, by its number or by its name.

    Raises:
        ArgumentError: there is no such level.
    """
    if isinstance(value, str) and value in CompilerEffortLevel.__members__:
        return CompilerEffortLevel[value]
    if isinstance(value, CompilerEffortLevel | int) and not isinstance(value, bool):
        try:
            return CompilerEffortLevel(value)
        except ValueError:
            pass
    raise ArgumentError(
        f"compiler option `{option}`: {value!r} is not a level of effort",
        fix="give one of treadle.CompilerEffortLevel, such as `CompilerEffortLevel.O2`",
    )


_EFFORT_HINTS: Final[dict[str, Flags]] = {
    "quick": (("xla_backend_optimization_level", 0), ("xla_cpu_use_fusion_emitters", False)),
    "light": (("xla_backend_optimization_level", 1),),
    "full": (),
}
# Without it XLA leaves out conversions to a narrow float and back: a bf16 sum that is used in f32 would not be rounded,
# and what compensated arithmetic catches would be gone.
_ROUNDING: Final[Flags] = (("xla_allow_excess_precision", False),)
_REWRITES: Final = "algsimp"
_BARRIER_REMOVAL: Final = (
    "cse_barrier_expander",  # jaxlibs without this pass keep barriers
    "small-while-loop-hoisting",  # loops of a kilobyte as one kernel, which may hold no barrier
)


@final
@frozen
class CompileOptions:
    """How one program is compiled and for which devices.

    `device_ids` are listed replica by replica, and within a replica partition by partition.

    Constraints:
        (C1) there are num_replicas * num_partitions device ids
        (C2) flags are (name, value) pairs, each name once
    """

    num_replicas: int = 1
    num_partitions: int = 1
    device_ids: tuple[int, ...] = (0,)
    flags: Flags = ()
    barriers: bool = False  # they live to the end of the compilation
    effort: Effort = "full"
    rewrites: bool = True
    level: int = 0  # a number of CompilerEffortLevel; 0 leaves it to the platform
    memory_fitting: int = 0

    def __post_init__(self) -> None:
        count = self.num_replicas * self.num_partitions
        if self.num_replicas < 1 or self.num_partitions < 1 or len(self.device_ids) != count:  # C1
            raise ArgumentError(
                f"CompileOptions: {self.num_replicas} replicas of {self.num_partitions} partitions need "
                f"{count} device ids, got {len(self.device_ids)}",
                fix="give one device id for each replica and partition",
            )
        names = [name for name, _ in self.flags]
        if len(set(names)) != len(names):  # C2
            twice = next(name for name in names if names.count(name) > 1)
            raise ArgumentError(
                f"compiler option `{twice}` is given twice", fix=f"keep one value of `{twice}`"
            )
        if self.effort not in _EFFORT_HINTS:
            raise ArgumentError(
                f"compile effort `{self.effort}` is not one of `quick`, `light`, `full`",
                fix="use `full`, or leave the choice to treadle",
            )

    def hints(self, platform: str) -> Flags:
        """Flags that we chose ourselves, without those that the user has set."""
        off = [] if self.rewrites else [_REWRITES]
        chosen: Flags = ()
        if platform == "cpu":
            chosen = (*_EFFORT_HINTS[self.effort], *_ROUNDING)
            off += _BARRIER_REMOVAL if self.barriers else ()
        if off:
            chosen += (("xla_disable_hlo_passes", ",".join(off)),)
        asked = {name for name, _ in self.flags}
        return tuple((name, value) for name, value in chosen if name not in asked)

    def with_flags(self, options: Mapping[str, object] | None) -> CompileOptions:
        """Add what a user gave as `jit(..., compiler_options={...})`; later values win.

        Raises:
            ArgumentError: not a mapping from strings to strings, numbers and booleans.
        """
        if not options:
            return self
        merged = dict(self.flags)
        merged.update(checked_flags(options))
        return replace(self, flags=tuple(sorted(merged.items())))

    def fingerprint(self, *, placement: bool = True) -> str:
        """A stable digest; without `placement`, the same for every device of a kind."""
        fields: list[object] = [self.num_replicas, self.num_partitions]
        fields.append(self.device_ids if placement or len(self.device_ids) > 1 else "any")
        # Types are spelt out: True, 1 and "1" are three different values of a flag.
        fields.append(
            sorted((name, type(value).__name__, str(value)) for name, value in self.flags)
        )
        fields += [self.barriers, self.effort, self.rewrites]
        if self.level or self.memory_fitting:
            fields += [self.level, self.memory_fitting]
        fields.append(sorted((name, repr(value)) for name, value in self.hints("cpu")))
        return sha256(repr(fields).encode()).hex()


def checked_flags(options: Mapping[str, object]) -> Flags:
    """Turn a user's dictionary of compiler options into flags, sorted by name.

    Raises:
        ArgumentError: a name is not a string, or a value is not a string, number or boolean.
    """
    if not isinstance(options, Mapping):
        raise ArgumentError(
            f"compiler_options must be a dictionary, got {type(options).__name__}",
            fix='write compiler_options={"xla_some_flag": value}',
        )
    flags: list[tuple[str, FlagValue]] = []
    for name, value in options.items():
        if not isinstance(name, str):
            raise ArgumentError(
                f"compiler_options: the name of an option must be a string, got {name!r}",
                fix='write compiler_options={"xla_some_flag": value}',
            )
        plain = value.item() if isinstance(value, np.generic) else value
        if not isinstance(plain, str | int | float | bool):
            raise ArgumentError(
                f"compiler option `{name}` must be a string, a number or a boolean, "
                f"got {type(value).__name__}",
                fix=f"give `{name}` as the text that XLA_FLAGS would hold",
            )
        flags.append((name.removeprefix("--"), plain))
    return tuple(sorted(flags))


def unknown_flag(
    name: str, *, release: str, platform: str, known: Iterable[str] = ()
) -> ArgumentError:
    """The error for a flag that this jaxlib does not have."""
    import difflib  # noqa: PLC0415 - only an error needs it

    close = difflib.get_close_matches(name, sorted(known), n=1)
    guess = f"did you mean `{close[0]}`? Otherwise remove it" if close else "remove it"
    return ArgumentError(
        f"compiler option `{name}` is not known to jaxlib {release} on {platform}",
        fix=f"{guess}; the options of XLA differ between releases of jaxlib",
    )


def bad_flag_value(name: str, reason: str) -> ArgumentError:
    """The error for a flag whose value has the wrong type."""
    return ArgumentError(
        f"compiler option `{name}` cannot take this value: {reason}",
        fix=f"give `{name}` a value of that type",
    )


@final
@frozen
class ProgramProfile:
    """What `choose` needs from a program; cheap to compute while lowering."""

    platform: str
    equations: int
    largest_bytes: int
    has_loop: bool = False
    has_big_dot: bool = False
    keeps_barriers: bool = False  # the barriers of a checkpoint, and all others with them
    fuses: bool = False  # keeps them between elementwise operations only


def choose(work: ProgramProfile) -> CompileOptions:
    """Pick options for a program on one device; see the module for the measurements."""
    if work.platform != "cpu":
        return CompileOptions()
    effort: Effort = "full"
    heavy = work.has_loop or work.has_big_dot
    amount = max(work.equations, 1) * work.largest_bytes
    if not heavy and work.equations <= QUICK_EQUATIONS and amount <= QUICK_WORK:
        effort = "quick"
    elif work.largest_bytes <= LIGHT_BYTES and not (
        work.has_loop and work.equations > LOOP_EQUATIONS
    ):
        effort = "light"
    return CompileOptions(effort=effort, barriers=work.keeps_barriers)
