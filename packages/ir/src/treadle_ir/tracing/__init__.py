"""Tracing: arrays, tracers, traces, staging of functions to programs, interpretation of programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.tracing.arguments import (
        Arguments as Arguments,
        in_positional_form as in_positional_form,
        positional_names as positional_names,
        positions as positions,
        take_apart as take_apart,
    )
    from treadle_ir.tracing.array import (
        Array as Array,
        Function as Function,
        Operand as Operand,
        Operands as Operands,
        no_first_axis as no_first_axis,
        type_of as type_of,
        types_of as types_of,
    )
    from treadle_ir.tracing.builder import Builder as Builder
    from treadle_ir.tracing.captures import (
        rearranged as rearranged,
        share_captures as share_captures,
        unused_parameters as unused_parameters,
    )
    from treadle_ir.tracing.compile_time import ensure_compile_time_eval as ensure_compile_time_eval
    from treadle_ir.tracing.current_mesh import (
        MESH as MESH,
        auto_axes as auto_axes,
        checked_manual_axes as checked_manual_axes,
        explicit_mesh as explicit_mesh,
        over_mesh as over_mesh,
        over_mesh_of as over_mesh_of,
    )
    from treadle_ir.tracing.interning import interned as interned
    from treadle_ir.tracing.interpreter import (
        interpret as interpret,
        interpret_unchecked as interpret_unchecked,
        last_uses as last_uses,
    )
    from treadle_ir.tracing.known import KnownTracer as KnownTracer, as_staged as as_staged
    from treadle_ir.tracing.leaks import checks_leaks as checks_leaks, refuse_leaks as refuse_leaks
    from treadle_ir.tracing.memo import Derived as Derived, derived as derived
    from treadle_ir.tracing.ports import (
        Evaluator as Evaluator,
        install as install,
        installed_sharding as installed_sharding,
        installed_vmap as installed_vmap,
        shown_program as shown_program,
    )
    from treadle_ir.tracing.provenance import naming_arguments as naming_arguments
    from treadle_ir.tracing.scopes import (
        named_call as named_call,
        named_scope as named_scope,
        within as within,
    )
    from treadle_ir.tracing.signatures import (
        Difference as Difference,
        Signature as Signature,
        difference as difference,
        nearest as nearest,
        only_compiles as only_compiles,
    )
    from treadle_ir.tracing.staging import (
        Staged as Staged,
        StagedTracer as StagedTracer,
        StagingTrace as StagingTrace,
        stage as stage,
        stage_tree as stage_tree,
        staging_trace as staging_trace,
        with_sharding as with_sharding,
    )
    from treadle_ir.tracing.trace import (
        ROOT as ROOT,
        EvalTrace as EvalTrace,
        Trace as Trace,
        bind as bind,
        current_evaluator as current_evaluator,
        current_trace as current_trace,
        evaluating as evaluating,
        reset_current as reset_current,
        run_under as run_under,
        running as running,
        set_current as set_current,
    )
    from treadle_ir.tracing.tracer import (
        Tracer as Tracer,
        concrete_elements as concrete_elements,
        escaped as escaped,
        show_tracers_as as show_tracers_as,
        transparent as transparent,
        untraced as untraced,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.tracing.arguments": (
                "Arguments in_positional_form positional_names positions take_apart"
            ),
            "treadle_ir.tracing.array": (
                "Array Function Operand Operands no_first_axis type_of types_of"
            ),
            "treadle_ir.tracing.builder": "Builder",
            "treadle_ir.tracing.captures": "rearranged share_captures unused_parameters",
            "treadle_ir.tracing.compile_time": "ensure_compile_time_eval",
            "treadle_ir.tracing.current_mesh": (
                "MESH auto_axes checked_manual_axes explicit_mesh over_mesh over_mesh_of"
            ),
            "treadle_ir.tracing.interning": "interned",
            "treadle_ir.tracing.interpreter": "interpret interpret_unchecked last_uses",
            "treadle_ir.tracing.known": "KnownTracer as_staged",
            "treadle_ir.tracing.leaks": "checks_leaks refuse_leaks",
            "treadle_ir.tracing.memo": "Derived derived",
            "treadle_ir.tracing.ports": (
                "Evaluator install installed_sharding installed_vmap shown_program"
            ),
            "treadle_ir.tracing.provenance": "naming_arguments",
            "treadle_ir.tracing.scopes": "named_call named_scope within",
            "treadle_ir.tracing.signatures": (
                "Difference Signature difference nearest only_compiles"
            ),
            "treadle_ir.tracing.staging": (
                "Staged StagedTracer StagingTrace stage stage_tree staging_trace with_sharding"
            ),
            "treadle_ir.tracing.trace": (
                "ROOT EvalTrace Trace bind current_evaluator current_trace evaluating "
                "reset_current run_under running set_current"
            ),
            "treadle_ir.tracing.tracer": (
                "Tracer concrete_elements escaped show_tracers_as transparent untraced"
            ),
        },
    )
