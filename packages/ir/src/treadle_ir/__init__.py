"""treadle-ir: typed programs, primitives, tracing, pytrees, a text format and a reference evaluator on NumPy.

The public names of this distribution; other distributions import them from here, never from below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir import operators as operators, ops as ops
from treadle_ir._version import __version__ as __version__
from treadle_ir.arguments import (
    Arguments as Arguments,
    in_positional_form as in_positional_form,
    positional_names as positional_names,
    positions as positions,
    take_apart as take_apart,
)
from treadle_ir.array import (
    Array as Array,
    Function as Function,
    Operand as Operand,
    Operands as Operands,
    install_operators as install_operators,
    no_first_axis as no_first_axis,
    type_of as type_of,
    types_of as types_of,
)
from treadle_ir.behind import naming_arguments as naming_arguments
from treadle_ir.boundary import (
    boundaries as boundaries,
    boundary as boundary,
)
from treadle_ir.composed import (
    HostFunction as HostFunction,
    HostFunctionMaker as HostFunctionMaker,
    composed as composed,
    host_functions as host_functions,
)
from treadle_ir.context import (
    SETTINGS as SETTINGS,
    X64 as X64,
    Context as Context,
    Setting as Setting,
    context_overrides as context_overrides,
    current_context as current_context,
    named_axis as named_axis,
    one_of as one_of,
    overriding as overriding,
    process_context as process_context,
    yes_or_no as yes_or_no,
)
from treadle_ir.declared import (
    element_type as element_type,
    flags as flags,
    functions as functions,
    integer as integer,
    integer_or_none as integer_or_none,
    integers as integers,
    integers_or_none as integers_or_none,
    names as names,
    number as number,
    pairs as pairs,
    refused as refused,
    sequence as sequence,
    sequence_or_none as sequence_or_none,
    shown as shown,
)
from treadle_ir.derived import Derived as Derived, derived as derived
from treadle_ir.dtypes import DType as DType, float0 as float0
from treadle_ir.effects import (
    PURE as PURE,
    Callback as Callback,
    Effect as Effect,
    Effects as Effects,
    NamedAxis as NamedAxis,
    OrderedCallback as OrderedCallback,
)
from treadle_ir.errors import (
    ArgumentError as ArgumentError,
    AxisError as AxisError,
    AxisNameError as AxisNameError,
    CheckError as CheckError,
    ConcretizationError as ConcretizationError,
    DerivativeError as DerivativeError,
    DerivativeMismatchError as DerivativeMismatchError,
    DivisionByZeroError as DivisionByZeroError,
    DonatedError as DonatedError,
    DTypeError as DTypeError,
    EscapedTracerError as EscapedTracerError,
    ExecutionError as ExecutionError,
    FailedCheckError as FailedCheckError,
    IndexingError as IndexingError,
    KeyReuseError as KeyReuseError,
    LeakedTracerError as LeakedTracerError,
    MissingRuleError as MissingRuleError,
    NaNError as NaNError,
    NoMeshError as NoMeshError,
    NonConcreteBooleanIndexError as NonConcreteBooleanIndexError,
    OutOfBoundsError as OutOfBoundsError,
    OutOfMemoryError as OutOfMemoryError,
    ParseError as ParseError,
    PlacementError as PlacementError,
    RangeError as RangeError,
    ShapeError as ShapeError,
    ShardingError as ShardingError,
    ShardingTypeError as ShardingTypeError,
    StructureError as StructureError,
    SymbolicSizeError as SymbolicSizeError,
    TracerArrayConversionError as TracerArrayConversionError,
    TracerBoolConversionError as TracerBoolConversionError,
    TracerIntegerConversionError as TracerIntegerConversionError,
    TracingError as TracingError,
    TreadleError as TreadleError,
    TreeError as TreeError,
    UnsetRuleError as UnsetRuleError,
    UnsupportedError as UnsupportedError,
    UsageError as UsageError,
    VerifyError as VerifyError,
    ZeroStepError as ZeroStepError,
    allocating as allocating,
    did_you_mean as did_you_mean,
    during as during,
    out_of_range as out_of_range,
)
from treadle_ir.evaluator import Evaluator as Evaluator
from treadle_ir.families import (
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
from treadle_ir.flows import (
    OPERANDS as OPERANDS,
    Flags as Flags,
    Flows as Flows,
    Iterations as Iterations,
    Origin as Origin,
    call_flows as call_flows,
    elementwise_or as elementwise_or,
)
from treadle_ir.fork import fork_safe_lock as fork_safe_lock, fork_safe_rlock as fork_safe_rlock
from treadle_ir.frozen import frozen as frozen
from treadle_ir.importing import importing as importing
from treadle_ir.inference import inferred as inferred
from treadle_ir.interpret import (
    interpret as interpret,
    interpret_unchecked as interpret_unchecked,
    last_uses as last_uses,
)
from treadle_ir.known import KnownTracer as KnownTracer, as_staged as as_staged
from treadle_ir.lazily import (
    NamespaceHooks as NamespaceHooks,
    import_module as import_module,
    lazy_names as lazy_names,
    module_or_none as module_or_none,
    unknown_name as unknown_name,
)
from treadle_ir.leaks import checks_leaks as checks_leaks, refuse_leaks as refuse_leaks
from treadle_ir.nesting import deeper as deeper
from treadle_ir.operand_groups import (
    Groups as Groups,
    ScanOperands as ScanOperands,
    ScanResults as ScanResults,
    WhileOperands as WhileOperands,
)
from treadle_ir.operands import (
    as_array as as_array,
    as_operand as as_operand,
    canonical_elements as canonical_elements,
    fix_for as fix_for,
    new_array as new_array,
    operand_or_none as operand_or_none,
    type_like as type_like,
    weak_literal as weak_literal,
)
from treadle_ir.other_jax import array_of_jax as array_of_jax, is_of_jax as is_of_jax
from treadle_ir.placer import (
    install_placer as install_placer,
    installed_placer as installed_placer,
    installed_resharder as installed_resharder,
)
from treadle_ir.primitive import Attributeless as Attributeless, Primitive as Primitive
from treadle_ir.program import Equation as Equation, Program as Program
from treadle_ir.promotion import (
    DTYPE_PROMOTION as DTYPE_PROMOTION,
    canonical_dtype as canonical_dtype,
    default_dtype as default_dtype,
    inexact_dtype as inexact_dtype,
    promoted as promoted,
    scalar_type as scalar_type,
    x64_enabled as x64_enabled,
)
from treadle_ir.reference.convert import converted_elements as converted_elements
from treadle_ir.reference.evaluator import ReferenceEvaluator as ReferenceEvaluator
from treadle_ir.reference.registry import eval_rule as eval_rule, eval_rules as eval_rules
from treadle_ir.registry import find_primitive as find_primitive, register as register
from treadle_ir.releases import release_of as release_of, wrong_release as wrong_release
from treadle_ir.rules import RuleTable as RuleTable
from treadle_ir.sharding.current_mesh import (
    MESH as MESH,
    explicit_mesh as explicit_mesh,
    left_to_the_compiler as left_to_the_compiler,
    over_mesh as over_mesh,
    over_mesh_of as over_mesh_of,
)
from treadle_ir.sharding.mesh import (
    AbstractDevice as AbstractDevice,
    AbstractMesh as AbstractMesh,
    AxisType as AxisType,
    Layout as Layout,
    Layouts as Layouts,
    MeshAxes as MeshAxes,
    Whole as Whole,
    check_names as check_names,
    checked_axes as checked_axes,
    layout_of as layout_of,
    part_shape as part_shape,
    parts_of as parts_of,
    spec_of as spec_of,
)
from treadle_ir.sharding.partial import (
    NO_SUMS as NO_SUMS,
    LayoutWithSums as LayoutWithSums,
    Sums as Sums,
    sums_of as sums_of,
    with_sums as with_sums,
)
from treadle_ir.sharding.partial_rules import sum_operands as sum_operands
from treadle_ir.sharding.partition_spec import (
    UNCONSTRAINED as UNCONSTRAINED,
    PartitionSpec as PartitionSpec,
)
from treadle_ir.sharding.rules import (
    nested_rule as nested_rule,
    nested_rules as nested_rules,
    sharded_results as sharded_results,
    sharding_rule as sharding_rule,
    sharding_rules as sharding_rules,
)
from treadle_ir.sharding.sharded_type import (
    ShardedType as ShardedType,
    is_whole as is_whole,
    sizes_text as sizes_text,
    type_text as type_text,
)
from treadle_ir.sharding.specialised import specialised_primitive as specialised_primitive
from treadle_ir.sharding.staged import (
    result_shardings as result_shardings,
    sharding_of as sharding_of,
    shardings_here as shardings_here,
    type_here as type_here,
    types_here as types_here,
)
from treadle_ir.sharding.types import Sharding as Sharding, explicit_part as explicit_part
from treadle_ir.shown_programs import (
    install_view as install_view,
    shown_program as shown_program,
)
from treadle_ir.sizes import (
    is_symbolic as is_symbolic,
    is_symbolic_dim as is_symbolic_dim,
    max_dim as max_dim,
    min_dim as min_dim,
    scope_of as scope_of,
    symbolic_dim_bounds as symbolic_dim_bounds,
)
from treadle_ir.source import (
    NOWHERE as NOWHERE,
    Source as Source,
    capture as capture,
    location_of as location_of,
    operation_source as operation_source,
    user_frame as user_frame,
    user_stacklevel as user_stacklevel,
    within as within,
)
from treadle_ir.stage import (
    Staged as Staged,
    StagedTracer as StagedTracer,
    StagingTrace as StagingTrace,
    stage as stage,
    stage_tree as stage_tree,
    staging_trace as staging_trace,
    with_sharding as with_sharding,
)
from treadle_ir.trace import (
    ROOT as ROOT,
    EvalTrace as EvalTrace,
    Trace as Trace,
    bind as bind,
    current_evaluator as current_evaluator,
    current_trace as current_trace,
    evaluating as evaluating,
    install as install,
    reset_current as reset_current,
    run_under as run_under,
    running as running,
    set_current as set_current,
)
from treadle_ir.tracer import (
    Tracer as Tracer,
    concrete_elements as concrete_elements,
    escaped as escaped,
    show_tracers_as as show_tracers_as,
    transparent as transparent,
    untraced as untraced,
)
from treadle_ir.tree_function import (
    TreeFunction as TreeFunction,
    array_results as array_results,
    flatten_arrays as flatten_arrays,
    no_array as no_array,
    refuse_others as refuse_others,
    results_and_aux as results_and_aux,
)
from treadle_ir.types import (
    TOKEN as TOKEN,
    ArrayType as ArrayType,
    TokenType as TokenType,
    Type as Type,
    unsharded as unsharded,
)
from treadle_ir.user_rules import as_rule as as_rule, ruled as ruled
from treadle_ir.values import Atom as Atom, Literal as Literal, Value as Value
from treadle_ir.vectoriser import install_vmap as install_vmap, installed_vmap as installed_vmap
from treadle_ir.whose import is_users as is_users
from treadle_ir.wrapping import (
    alias as alias,
    forwarded as forwarded,
    shown_as as shown_as,
    wraps as wraps,
)

if TYPE_CHECKING:
    from treadle_ir import (
        analysis as analysis,
        context as context,
        dtypes as dtypes,
        errors as errors,
        events as events,
        matrices as matrices,
        printing as printing,
        reference as reference,
        rewrite as rewrite,
        source as source,
        text as text,
    )
    from treadle_ir.abstract_ref import AbstractRef as AbstractRef
    from treadle_ir.builder import Builder as Builder
    from treadle_ir.compile_time import ensure_compile_time_eval as ensure_compile_time_eval
    from treadle_ir.equality import equal_programs as equal_programs, is_deferred as is_deferred
    from treadle_ir.interning import interned as interned
    from treadle_ir.primitives.shard_map import (
        axes_of as axes_of,
        inside_axes as inside_axes,
    )
    from treadle_ir.printing import print_program as print_program
    from treadle_ir.rearrange import (
        rearranged as rearranged,
        share_captures as share_captures,
        unused_parameters as unused_parameters,
    )
    from treadle_ir.ref_functions import (
        free_ref as free_ref,
        freeze as freeze,
        ref_addupdate as ref_addupdate,
        ref_get as ref_get,
        ref_set as ref_set,
        ref_swap as ref_swap,
    )
    from treadle_ir.ref_views import TransformedRef as TransformedRef
    from treadle_ir.refs import (
        Cell as Cell,
        HeldTree as HeldTree,
        Ref as Ref,
        Reference as Reference,
        as_body as as_body,
        as_reader as as_reader,
        cell_of as cell_of,
        discharged as discharged,
        empty_ref as empty_ref,
        holding as holding,
        is_reference as is_reference,
        lending as lending,
        new_cell as new_cell,
        new_ref as new_ref,
        references_once as references_once,
        store as store,
        usable as usable,
        without_references as without_references,
    )
    from treadle_ir.scopes import named_call as named_call, named_scope as named_scope
    from treadle_ir.sharding.varying import (
        checked_axes_here as checked_axes_here,
        explicit as explicit,
        explicit_body as explicit_body,
        explicit_here as explicit_here,
        varying_of as varying_of,
    )
    from treadle_ir.text.parser import parse_program as parse_program
    from treadle_ir.verify import verify_program as verify_program

_lazy_names = lazy_names

install(ReferenceEvaluator())

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.abstract_ref": "AbstractRef",
            "treadle_ir.builder": "Builder",
            "treadle_ir.compile_time": "ensure_compile_time_eval",
            "treadle_ir.equality": "equal_programs is_deferred",
            "treadle_ir.interning": "interned",
            "treadle_ir.primitives.shard_map": "axes_of inside_axes",
            "treadle_ir.printing": "print_program",
            "treadle_ir.rearrange": "rearranged share_captures unused_parameters",
            "treadle_ir.ref_functions": "free_ref freeze ref_addupdate ref_get ref_set ref_swap",
            "treadle_ir.ref_views": "TransformedRef",
            "treadle_ir.refs": (
                "Cell HeldTree Ref Reference as_body as_reader cell_of discharged empty_ref "
                "holding is_reference lending new_cell new_ref references_once store usable "
                "without_references"
            ),
            "treadle_ir.scopes": "named_call named_scope",
            "treadle_ir.text.parser": "parse_program",
            "treadle_ir.sharding.varying": (
                "checked_axes_here explicit explicit_body explicit_here varying_of"
            ),
            "treadle_ir.verify": "verify_program",
        },
        (
            "analysis",
            "context",
            "dtypes",
            "errors",
            "events",
            "matrices",
            "printing",
            "reference",
            "rewrite",
            "source",
            "text",
        ),
        own=True,
    )
