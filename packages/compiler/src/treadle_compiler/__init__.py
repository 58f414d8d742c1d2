"""treadle-compiler: programs to StableHLO text, and text to XLA executables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_compiler._version import __version__ as __version__
from treadle_ir.errors import lazy_names as _lazy_names, source as _source

if TYPE_CHECKING:
    from treadle_compiler.attributes import attribute_text as attribute_text
    from treadle_compiler.built import (
        BuildContext as BuildContext,
        IrValue as IrValue,
        build as build,
        ir_array as ir_array,
        ir_context as ir_context,
        ir_dialects as ir_dialects,
        ir_elements as ir_elements,
        ir_module as ir_module,
        ir_type as ir_type,
        new_ir_context as new_ir_context,
    )
    from treadle_compiler.callback import LoweredCallback as LoweredCallback
    from treadle_compiler.collectives import (
        Collective as Collective,
        has_collectives as has_collectives,
        read_collectives as read_collectives,
    )
    from treadle_compiler.compile import (
        compile_lowered as compile_lowered,
        disk_cache as disk_cache,
        forget_disk as forget_disk,
        forget_executables as forget_executables,
    )
    from treadle_compiler.context import (
        LoweringContext as LoweringContext,
        NestingError as NestingError,
    )
    from treadle_compiler.embedded import Embedded as Embedded
    from treadle_compiler.ending import Held as Held, held as held, hold_at_end as hold_at_end
    from treadle_compiler.executable import LoadedExecutable as LoadedExecutable
    from treadle_compiler.fork import (
        ForkError as ForkError,
        Refusal as Refusal,
        check_fork as check_fork,
        fork_error as fork_error,
        never_destroyed as never_destroyed,
        refuse as refuse,
        refuse_in_children as refuse_in_children,
    )
    from treadle_compiler.legalise.memories import Memories as Memories
    from treadle_compiler.library import (
        Jaxlib as Jaxlib,
        adds_constants as adds_constants,
        jaxlib as jaxlib,
        start_quietly as start_quietly,
    )
    from treadle_compiler.lower import (
        LoweredModule as LoweredModule,
        lower_program as lower_program,
        part_text as part_text,
        repartitioned as repartitioned,
    )
    from treadle_compiler.lowering.effectful import callback_target as callback_target
    from treadle_compiler.mlir import (
        ModuleError as ModuleError,
        deserialized as deserialized,
        from_hlo as from_hlo,
        portable_artifact as portable_artifact,
        pretty as pretty,
        refined as refined,
        serialized as serialized,
    )
    from treadle_compiler.options import (
        CompileOptions as CompileOptions,
        CompilerEffortLevel as CompilerEffortLevel,
        ProgramProfile as ProgramProfile,
        choose as choose,
    )
    from treadle_compiler.partitioning import (
        CustomPart as CustomPart,
        Inspection as Inspection,
        Partitioning as Partitioning,
        dim_shardings_text as dim_shardings_text,
        sharding_text as sharding_text,
    )
    from treadle_compiler.persistent import (
        CacheError as CacheError,
        CacheWarning as CacheWarning,
        DiskCache as DiskCache,
        StoredProgram as StoredProgram,
        compile_cached as compile_cached,
    )
    from treadle_compiler.registry import (
        LoweringRule as LoweringRule,
        lowering_rule as lowering_rule,
        lowering_rules as lowering_rules,
    )
    from treadle_compiler.types import (
        device_dtype as device_dtype,
        device_shape as device_shape,
        element_type as element_type,
        string_text as string_text,
    )
    from treadle_compiler.value import HloValue as HloValue
    from treadle_compiler.xla import (
        CompileError as CompileError,
        MemoryStats as MemoryStats,
        Tiles as Tiles,
        compile_text as compile_text,
        cost_analysis as cost_analysis,
        deserialise as deserialise,
        memory_stats as memory_stats,
        optimized_hlo as optimized_hlo,
        output_tiles as output_tiles,
        platform_fingerprint as platform_fingerprint,
        raw_compile_options as raw_compile_options,
        serialise as serialise,
        supports_flag as supports_flag,
        tiles_of as tiles_of,
        unoptimized_hlo as unoptimized_hlo,
    )

_source.internal(__path__[0])

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_compiler.attributes": "attribute_text",
            "treadle_compiler.built": (
                "BuildContext IrValue build ir_array ir_context ir_dialects ir_elements ir_module "
                "ir_type new_ir_context"
            ),
            "treadle_compiler.callback": "LoweredCallback",
            "treadle_compiler.collectives": "Collective has_collectives read_collectives",
            "treadle_compiler.compile": "compile_lowered disk_cache forget_disk forget_executables",
            "treadle_compiler.context": "LoweringContext NestingError",
            "treadle_compiler.embedded": "Embedded",
            "treadle_compiler.ending": "Held held hold_at_end",
            "treadle_compiler.executable": "LoadedExecutable",
            "treadle_compiler.fork": (
                "ForkError Refusal check_fork fork_error never_destroyed refuse refuse_in_children"
            ),
            "treadle_compiler.legalise.memories": "Memories",
            "treadle_compiler.library": "Jaxlib adds_constants jaxlib start_quietly",
            "treadle_compiler.lower": "LoweredModule lower_program part_text repartitioned",
            "treadle_compiler.lowering.effectful": "callback_target",
            "treadle_compiler.mlir": (
                "ModuleError deserialized from_hlo portable_artifact pretty refined serialized"
            ),
            "treadle_compiler.options": "CompileOptions CompilerEffortLevel ProgramProfile choose",
            "treadle_compiler.partitioning": (
                "CustomPart Inspection Partitioning dim_shardings_text sharding_text"
            ),
            "treadle_compiler.persistent": (
                "CacheError CacheWarning DiskCache StoredProgram compile_cached"
            ),
            "treadle_compiler.registry": "LoweringRule lowering_rule lowering_rules",
            "treadle_compiler.types": "device_dtype device_shape element_type string_text",
            "treadle_compiler.value": "HloValue",
            "treadle_compiler.xla": (
                "CompileError MemoryStats Tiles compile_text cost_analysis deserialise "
                "memory_stats optimized_hlo output_tiles platform_fingerprint raw_compile_options "
                "serialise supports_flag tiles_of unoptimized_hlo"
            ),
        },
    )
