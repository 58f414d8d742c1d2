"""Programs: types, values, primitives and their families, effects, the registry, rule tables, equality, printing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.core.dtypes import DType as DType, float0 as float0
    from treadle_ir.core.effects import (
        PURE as PURE,
        Callback as Callback,
        Effect as Effect,
        Effects as Effects,
        NamedAxis as NamedAxis,
        OrderedCallback as OrderedCallback,
    )
    from treadle_ir.core.equality import (
        equal_programs as equal_programs,
        field_names as field_names,
        inside_out as inside_out,
        is_deferred as is_deferred,
        program_hash as program_hash,
    )
    from treadle_ir.core.families import (
        Accumulating as Accumulating,
        Contraction as Contraction,
        ControlFlow as ControlFlow,
        Conversion as Conversion,
        Creation as Creation,
        Elementwise as Elementwise,
        Extension as Extension,
        FunctionCall as FunctionCall,
        Indexing as Indexing,
        InlineCall as InlineCall,
        LinearAlgebra as LinearAlgebra,
        OverMesh as OverMesh,
        Randomness as Randomness,
        Rearrangement as Rearrangement,
        Reducing as Reducing,
        Sorting as Sorting,
        Sources as Sources,
        Windowing as Windowing,
    )
    from treadle_ir.core.flows import (
        OPERANDS as OPERANDS,
        Flags as Flags,
        Flows as Flows,
        Iterations as Iterations,
        Origin as Origin,
        call_flows as call_flows,
        elementwise_or as elementwise_or,
    )
    from treadle_ir.core.mesh import (
        AbstractDevice as AbstractDevice,
        AbstractMesh as AbstractMesh,
        AxisType as AxisType,
        ClosedDimShardings as ClosedDimShardings,
        DimShardings as DimShardings,
        MeshAxes as MeshAxes,
        check_names as check_names,
        checked_axes as checked_axes,
        layout_of as layout_of,
        part_shape as part_shape,
        parts_of as parts_of,
        spec_of as spec_of,
    )
    from treadle_ir.core.operand_groups import (
        Groups as Groups,
        ScanOperands as ScanOperands,
        ScanResults as ScanResults,
        WhileOperands as WhileOperands,
    )
    from treadle_ir.core.partial import (
        NO_PARTIAL_SUMS as NO_PARTIAL_SUMS,
        PartialDimShardings as PartialDimShardings,
        PartialSums as PartialSums,
        partial_sums_of as partial_sums_of,
        with_partial_sums as with_partial_sums,
    )
    from treadle_ir.core.partition_spec import (
        UNCONSTRAINED as UNCONSTRAINED,
        PartitionSpec as PartitionSpec,
    )
    from treadle_ir.core.primitive import Attributeless as Attributeless, Primitive as Primitive
    from treadle_ir.core.printing import print_program as print_program
    from treadle_ir.core.program import Equation as Equation, Program as Program
    from treadle_ir.core.promotion import (
        DTYPE_PROMOTION as DTYPE_PROMOTION,
        canonical_dtype as canonical_dtype,
        default_dtype as default_dtype,
        inexact_dtype as inexact_dtype,
        promoted as promoted,
        scalar_type as scalar_type,
        x64_enabled as x64_enabled,
    )
    from treadle_ir.core.registry import find_primitive as find_primitive, register as register
    from treadle_ir.core.requests import run_requests as run_requests
    from treadle_ir.core.rules import RuleTable as RuleTable, is_family as is_family
    from treadle_ir.core.sharding import Sharding as Sharding, explicit_part as explicit_part
    from treadle_ir.core.sizes import (
        is_symbolic as is_symbolic,
        is_symbolic_dim as is_symbolic_dim,
        max_dim as max_dim,
        min_dim as min_dim,
        scope_of as scope_of,
        symbolic_dim_bounds as symbolic_dim_bounds,
        variables_of as variables_of,
    )
    from treadle_ir.core.typed import Typed as Typed
    from treadle_ir.core.types import (
        INVARIANT as INVARIANT,
        TOKEN as TOKEN,
        ArrayType as ArrayType,
        TokenType as TokenType,
        Type as Type,
        Varying as Varying,
        unsharded as unsharded,
    )
    from treadle_ir.core.typing import inferred as inferred
    from treadle_ir.core.values import Atom as Atom, Literal as Literal, Value as Value

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.core.dtypes": "DType float0",
            "treadle_ir.core.effects": "PURE Callback Effect Effects NamedAxis OrderedCallback",
            "treadle_ir.core.equality": (
                "equal_programs field_names inside_out is_deferred program_hash"
            ),
            "treadle_ir.core.families": (
                "Accumulating Contraction ControlFlow Conversion Creation Elementwise Extension "
                "FunctionCall Indexing InlineCall LinearAlgebra OverMesh Randomness Rearrangement "
                "Reducing Sorting Sources Windowing"
            ),
            "treadle_ir.core.flows": (
                "OPERANDS Flags Flows Iterations Origin call_flows elementwise_or"
            ),
            "treadle_ir.core.mesh": (
                "AbstractDevice AbstractMesh AxisType ClosedDimShardings DimShardings MeshAxes "
                "check_names checked_axes layout_of part_shape parts_of spec_of"
            ),
            "treadle_ir.core.operand_groups": "Groups ScanOperands ScanResults WhileOperands",
            "treadle_ir.core.partial": (
                "NO_PARTIAL_SUMS PartialDimShardings PartialSums partial_sums_of with_partial_sums"
            ),
            "treadle_ir.core.partition_spec": "UNCONSTRAINED PartitionSpec",
            "treadle_ir.core.primitive": "Attributeless Primitive",
            "treadle_ir.core.printing": "print_program",
            "treadle_ir.core.program": "Equation Program",
            "treadle_ir.core.promotion": (
                "DTYPE_PROMOTION canonical_dtype default_dtype inexact_dtype promoted scalar_type "
                "x64_enabled"
            ),
            "treadle_ir.core.registry": "find_primitive register",
            "treadle_ir.core.requests": "run_requests",
            "treadle_ir.core.rules": "RuleTable is_family",
            "treadle_ir.core.sharding": "Sharding explicit_part",
            "treadle_ir.core.sizes": (
                "is_symbolic is_symbolic_dim max_dim min_dim scope_of symbolic_dim_bounds "
                "variables_of"
            ),
            "treadle_ir.core.typed": "Typed",
            "treadle_ir.core.types": "INVARIANT TOKEN ArrayType TokenType Type Varying unsharded",
            "treadle_ir.core.typing": "inferred",
            "treadle_ir.core.values": "Atom Literal Value",
        },
    )
