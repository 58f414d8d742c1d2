"""The stages of a jitted call that follow its tracing: lowered, compiled; each can be looked at.

compiled = jit(f).lower(x).compile()
compiled.memory_analysis().alias_size_in_bytes
compiled(x)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from treadle_compiler import (
    MemoryStats,
    cost_analysis,
    lower_program,
    memory_stats,
    optimized_hlo,
    pretty,
    unoptimized_hlo,
)
from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.core import unsharded
from treadle_ir.errors import UsageError, boundary, refused
from treadle_ir.settings import current_context
from treadle_ir.tracing import Arguments, Tracer
from treadle_ir.tree import PyTreeDef
from treadle_runtime.abstract import ShapeDtypeStruct
from treadle_runtime.arrays.from_user import as_argument
from treadle_runtime.jitting.compiled_call import CompiledCall
from treadle_runtime.jitting.compiling import Lowering, compile_call
from treadle_runtime.jitting.fast_call import fast_call
from treadle_runtime.jitting.miss import MISS, FastCall, no_fast_call
from treadle_runtime.jitting.options import Split
from treadle_runtime.jitting.shardings import put_as_compiled
from treadle_runtime.jitting.staged_refs import StagedReferences
from treadle_runtime.jitting.traced_call import Stage, as_before, structs_of
from treadle_runtime.jitting.with_refs import call_pure
from treadle_runtime.placement.devices import Device
from treadle_runtime.placement.format import Format, row_major

if TYPE_CHECKING:
    from treadle_compiler import Collective


@final
class ProgramText(str):
    """The text of a program, with the method by which code asks XLA's own object for it."""

    __slots__ = ()

    def as_hlo_text(self) -> str:
        """Return the text."""
        return str(self)


@boundary
@final
class Lowered(Stage):
    """A function lowered to StableHLO for arguments of certain types in certain places."""

    __slots__ = ("_lowering",)

    def __init__(
        self,
        lowering: Lowering,
        arguments: Arguments,
        split: Split,
        references: StagedReferences | None = None,
    ) -> None:
        super().__init__(arguments, split, lowering.operands, references)
        self._lowering = lowering

    @property
    def out_tree(self) -> PyTreeDef:
        """The structure of the results."""
        return self._results_of(self._lowering.traced.structure)

    @property
    def is_for_here(self) -> bool:
        """Whether it was lowered for the platform where the arguments are."""
        lowering = self._lowering
        return lowering.module.platform == lowering.placement.device.backend.platform

    @property
    def out_info(self) -> Any:
        """The shapes and element types of the results, and their shardings if requested, in their structure."""
        types = unsharded(self._lowering.traced.program.result_types)
        shardings = self._lowering.wanted or [None] * len(types)
        return self._like_results(
            self._lowering.traced.structure,
            [
                each.update(sharding=sharding)
                for each, sharding in zip(structs_of(types), shardings, strict=True)
            ],
        )

    def as_text(self, dialect: str | None = None, *, debug_info: bool = False) -> str:
        """Return the program as text: `stablehlo`, or `hlo` before XLA's passes.

        Raises:
            ArgumentError: another dialect.
        """
        text = self._lowering.module.text
        if dialect in (None, "stablehlo"):
            if debug_info:
                module = self._lowering.module
                text = lower_program(
                    module.program,
                    platform=module.platform,
                    aliases=self._lowering.prepared.aliases,
                    locations=True,
                    partitioning=module.partitioning,
                    memories=module.memories,
                ).text
            return pretty(text, locations=debug_info)
        if dialect == "hlo":
            return unoptimized_hlo(text)
        raise ArgumentError(
            f"there is no text in dialect {dialect!r}", fix="ask for stablehlo or hlo"
        )

    def compiler_ir(self, dialect: str | None = None) -> ProgramText:
        """Return the program in the compiler's language; the same as `as_text`."""
        return ProgramText(self.as_text(dialect))

    def cost_analysis(self) -> dict[str, float]:
        """Return XLA's estimate of the cost of a call; this compiles the program."""
        return self.compile().cost_analysis()

    def compile(
        self, compiler_options: Mapping[str, Any] | None = None, device_assignment: None = None
    ) -> Compiled:
        """Compile it, for the devices that it was lowered for.

        Raises:
            ArgumentError: an unknown compiler option, or no dict; or it was lowered for another platform.
            UnsupportedError: other devices are given.
        """
        if device_assignment is not None:
            raise UnsupportedError(
                "compile: the argument `device_assignment` is not supported",
                fix="lower it for arguments on those devices, or with shardings over them",
            )
        if not self.is_for_here:
            lowering = self._lowering
            raise ArgumentError(
                f"{lowering.name} was lowered for {lowering.module.platform}, but its arguments are on "
                f"{lowering.placement.device.backend.platform}",
                fix="lower it without lowering_platforms, or export it (treadle.export) to run it elsewhere",
            )
        if compiler_options is not None and not isinstance(compiler_options, Mapping):
            raise refused("compile", "compiler_options", "a dict", compiler_options)
        call = compile_call(self._lowering, compiler_options)
        return Compiled(call, self._lowering, self._arguments, self._split, self._references)

    def __repr__(self) -> str:
        return f"<{self._lowering.name}, lowered for {self._lowering.module.platform}>"


@boundary
@final
class Compiled(Stage):
    """A compiled function, for arguments of exactly these types and structures."""

    __slots__ = ("_call", "_fast", "_lowering")

    def __init__(
        self,
        call: CompiledCall,
        lowering: Lowering,
        arguments: Arguments,
        split: Split,
        references: StagedReferences | None = None,
    ) -> None:
        super().__init__(arguments, split, lowering.operands, references)
        self._call = call
        self._fast: FastCall = no_fast_call
        self._lowering = lowering

    @property
    def parts(self) -> tuple[CompiledCall, Lowering, Arguments, Split]:
        """The components, for serialisation.

        Raises:
            UnsupportedError: the function uses references.
        """
        self._refuse_references("serialised")
        return self._call, self._lowering, self._arguments, self._split

    def __call__(
        self, *args: Any, **kwargs: Any
    ) -> Any:  # Any: what the function takes and returns
        """Run it.

        Raises:
            ArgumentError: other structures, types or static values than it was compiled for.
            UsageError: an argument is traced.
        """
        result = self._fast(args, kwargs)
        if result is not MISS:
            return result
        references = self._references
        if references is None:
            return self._general(args, kwargs)
        name, split = self._lowering.name, references.split
        given = as_before(f"{name} was compiled", references.arguments, split, name, args, kwargs)
        references.check(given, name)
        return call_pure(self._pure, name, given, references.places, references.closed)

    def _pure(self, *args: Any) -> Any:  # Any: what the pure function takes and returns
        """Run a call with references, as one of the pure function."""
        return self._general(args, {})

    def _general(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a call whose shape differs from the last one. Any: arguments and results of users."""
        name = self._lowering.name
        given = as_before(f"{name} was compiled", self._arguments, self._split, name, args, kwargs)
        for number, leaf in enumerate(given.leaves):
            if isinstance(leaf, Tracer) and leaf.constant() is None and not leaf.owner.closed:
                raise UsageError(
                    f"{name} was compiled, so it takes arrays with elements and no transformation applies to it, "
                    f"but {given.paths()[number]} is a traced array of type {leaf.type}",
                    fix="transform the function before it is lowered: jit(grad(f)).lower(...).compile()",
                )
        leaves = [as_argument(leaf) for leaf in given.leaves]
        for number, (leaf, placed) in enumerate(zip(leaves, self._lowering.operands, strict=True)):
            if leaf.type.strong() is not placed.type.strong():
                raise ArgumentError(
                    f"{name} was compiled for {placed.type} at {given.paths()[number]}, "
                    f"called with {leaf.type}",
                    fix="convert the argument, or call the jitted function itself",
                )
        if len(self._lowering.placement.devices) > 1:
            leaves = put_as_compiled(leaves, self._lowering.input_shardings, given, name)
        if current_context().instrumented:
            from treadle_runtime.jitting.instrumented_call import (  # noqa: PLC0415 - debug modes only
                call_instrumented,
                guard_arguments,
            )

            guard_arguments(given, leaves, name)
            return call_instrumented(self._call, leaves)
        self._make_fast(given, args, kwargs)
        return self._call.call(leaves)

    def _make_fast(
        self, given: Arguments, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:  # Any: what users pass
        """Generate the fast path for calls like this one, if their call shape is supported."""
        if len(self._lowering.placement.devices) > 1:
            return  # arguments may have to be put elsewhere first
        if self._references is not None:
            return  # these are the arguments of the pure function, and not the user's
        if given.statics is not None and given.statics is self._arguments.statics:
            return  # called without what is static
        kinds, fast_calls = tuple(map(type, given.leaves)), self._call.fast_calls
        if kinds not in fast_calls:
            fast_calls[kinds] = fast_call(self._call, given, args, kwargs)
        self._fast = fast_calls[kinds] or self._fast

    def call(self, *args: Any, **kwargs: Any) -> Any:  # Any: what the function takes and returns
        """Run it; the same as calling it."""
        return self(*args, **kwargs)

    @property
    def out_info(self) -> Any:  # Any: a tree like the results
        """The shapes, element types and shardings of the results, in their structure."""
        structs = [
            ShapeDtypeStruct(
                each.type.shape,
                each.type.dtype,
                sharding=each.placement.sharding,
                weak_type=each.type.weak,
            )
            for each in self._call.launch.results
        ]
        return self._like_results(self._call.traced.structure, structs)

    @property
    def out_tree(self) -> PyTreeDef:
        """The structure of the results."""
        return self._results_of(self._call.traced.structure)

    def as_text(self) -> str:
        """Return the program after XLA's passes, in HLO text."""
        return optimized_hlo(self._call.launch.executable)

    def cost_analysis(self) -> dict[str, float]:
        """Return XLA's estimate of the cost of a call: `flops`, `bytes accessed` and more."""
        return cost_analysis(self._call.launch.executable)

    def memory_analysis(self) -> MemoryStats:
        """Return the memory that a call needs, in bytes."""
        return memory_stats(self._call.launch.executable)

    def collectives(self) -> list[Collective]:
        """Return the collectives of the program, with the bytes that each device sends.

        XLA's partitioner or a `shard_map` inserts them; a program on one device has none. Groups are numbered in the
        order of the devices in the mesh.

        Example:
            >>> import treadle, treadle.numpy as tnp
            >>> treadle.jit(tnp.sin).lower(1.0).compile().collectives()
            []

        Raises:
            ModuleError: XLA wrote the groups of an exchange in a way that is not known.
        """
        from treadle_compiler import read_collectives  # noqa: PLC0415 - few ask

        return read_collectives(self.as_text())

    def runtime_executable(self) -> Any:  # Any: jaxlib's
        """Return jaxlib's executable."""
        return self._call.launch.executable.raw

    @property
    def device(self) -> Device:
        """Where it runs."""
        return self._lowering.placement.device

    @property
    def input_shardings(self) -> Any:  # Any: a tree like the arguments
        """Where arguments have to be, as (args, kwargs)."""
        return self._like_arguments(self._lowering.input_shardings)

    @property
    def output_shardings(self) -> Any:  # Any: a tree like the results
        """Where results are, in their structure."""
        return self._like_results(
            self._call.traced.structure,
            [placed.placement.sharding for placed in self._call.launch.results],
        )

    @property
    def input_formats(self) -> Any:  # Any: a tree like the arguments
        """The layout of the arguments in memory, and where they have to be, as (args, kwargs) of `Format`."""
        pairs = zip(self._types, self._lowering.input_shardings, strict=True)
        return self._like_arguments(
            [Format(row_major(type.ndim), sharding) for type, sharding in pairs]
        )

    @property
    def output_formats(self) -> Any:  # Any: a tree like the results
        """The layout of the results in memory, and where they are, in their structure."""
        formats = [
            Format(row_major(each.type.ndim), each.placement.sharding)
            for each in self._call.launch.results
        ]
        return self._like_results(self._call.traced.structure, formats)

    def __repr__(self) -> str:
        return f"<{self._lowering.name}, compiled for {self._lowering.module.platform}>"
