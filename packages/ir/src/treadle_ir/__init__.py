"""treadle-ir: typed programs, primitives, tracing, pytrees, a text format and a reference evaluator on NumPy.

The public names of this distribution; other distributions import them from here, never from below.
"""

from __future__ import annotations

from treadle_ir import (
    dtypes as dtypes,
    errors as errors,
    operators as operators,
    ops as ops,
    reference as reference,
    source as source,
)
from treadle_ir._version import __version__ as __version__
from treadle_ir.array import (
    Array as Array,
    Function as Function,
    Operand as Operand,
    Operands as Operands,
    install_operators as install_operators,
    type_of as type_of,
    types_of as types_of,
)
from treadle_ir.derived import Derived as Derived, remembered as remembered
from treadle_ir.dtypes import DType as DType, float0 as float0
from treadle_ir.effects import (
    PURE as PURE,
    Callback as Callback,
    Effect as Effect,
    Effects as Effects,
    NamedAxis as NamedAxis,
    OrderedCallback as OrderedCallback,
)
from treadle_ir.equality import equal_programs as equal_programs
from treadle_ir.errors import (
    ArgumentError as ArgumentError,
    ConcretizationError as ConcretizationError,
    DonatedError as DonatedError,
    DTypeError as DTypeError,
    EscapedTracerError as EscapedTracerError,
    ForwardModeError as ForwardModeError,
    MissingRuleError as MissingRuleError,
    NonConcreteBooleanIndexError as NonConcreteBooleanIndexError,
    ParseError as ParseError,
    PlacementError as PlacementError,
    RangeError as RangeError,
    ShapeError as ShapeError,
    StructureError as StructureError,
    TreadleError as TreadleError,
    VerifyError as VerifyError,
    during as during,
    out_of_range as out_of_range,
)
from treadle_ir.evaluator import Evaluator as Evaluator
from treadle_ir.families import (
    Elementwise as Elementwise,
    FunctionCall as FunctionCall,
    InlineCall as InlineCall,
    Sources as Sources,
)
from treadle_ir.inference import inferred as inferred
from treadle_ir.interpret import interpret as interpret
from treadle_ir.nesting import deeper as deeper
from treadle_ir.primitive import Attributeless as Attributeless, Primitive as Primitive
from treadle_ir.program import Equation as Equation, Program as Program
from treadle_ir.promotion import (
    canonical_dtype as canonical_dtype,
    default_dtype as default_dtype,
    inexact_dtype as inexact_dtype,
    promoted as promoted,
    scalar_type as scalar_type,
    set_x64 as set_x64,
    x64_context as x64_context,
    x64_enabled as x64_enabled,
)
from treadle_ir.reference import (
    ReferenceEvaluator as ReferenceEvaluator,
    eval_rule as eval_rule,
    eval_rules as eval_rules,
)
from treadle_ir.rules import RuleTable as RuleTable
from treadle_ir.source import (
    NOWHERE as NOWHERE,
    Source as Source,
    capture as capture,
    user_frame as user_frame,
    user_stacklevel as user_stacklevel,
)
from treadle_ir.stage import (
    Staged as Staged,
    StagedTracer as StagedTracer,
    StagingTrace as StagingTrace,
    constant_array as constant_array,
    stage as stage,
)
from treadle_ir.trace import (
    ROOT as ROOT,
    EvalTrace as EvalTrace,
    Trace as Trace,
    as_array as as_array,
    bind as bind,
    current_trace as current_trace,
    evaluating as evaluating,
    install as install,
    reset_current as reset_current,
    running as running,
    set_current as set_current,
)
from treadle_ir.tracer import (
    Tracer as Tracer,
    concrete_elements as concrete_elements,
    escaped as escaped,
    refuse_tracers as refuse_tracers,
)
from treadle_ir.types import (
    TOKEN as TOKEN,
    ArrayType as ArrayType,
    TokenType as TokenType,
    Type as Type,
)
from treadle_ir.values import Atom as Atom, Literal as Literal, Value as Value

install(ReferenceEvaluator())
