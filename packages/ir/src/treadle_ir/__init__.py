"""treadle-ir: typed programs for numerical Python.

The names here are what a tool that builds on programs needs, in four groups: programs and their parts (`Program`,
`Equation`, `ArrayType`, `stage`, `interpret`), text (`parse_program`, `print_program`, `verify_program`), rewriting
(`PassManager`, `rewrite_pattern`, `apply_patterns`) and rules (`RuleTable`, `eval_rule`, `register`), with the errors
that these raise. All else is in the packages below, by topic, from which the other distributions import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir import ops as ops
from treadle_ir._version import __version__ as __version__
from treadle_ir.calling.operators import TABLE as _TABLE
from treadle_ir.core.dtypes import DType as DType
from treadle_ir.core.effects import Effect as Effect, Effects as Effects
from treadle_ir.core.families import (
    ControlFlow as ControlFlow,
    Elementwise as Elementwise,
    FunctionCall as FunctionCall,
)
from treadle_ir.core.mesh import AbstractMesh as AbstractMesh, AxisType as AxisType
from treadle_ir.core.partition_spec import PartitionSpec as PartitionSpec
from treadle_ir.core.primitive import Attributeless as Attributeless, Primitive as Primitive
from treadle_ir.core.program import Equation as Equation, Program as Program
from treadle_ir.core.registry import find_primitive as find_primitive, register as register
from treadle_ir.core.rules import RuleTable as RuleTable
from treadle_ir.core.sharding import Sharding as Sharding
from treadle_ir.core.types import TOKEN as TOKEN, ArrayType as ArrayType, Type as Type
from treadle_ir.core.values import Atom as Atom, Literal as Literal, Value as Value
from treadle_ir.errors.kinds import (
    ArgumentError as ArgumentError,
    DTypeError as DTypeError,
    MissingRuleError as MissingRuleError,
    ParseError as ParseError,
    ShapeError as ShapeError,
    TreadleError as TreadleError,
    UnsupportedError as UnsupportedError,
    VerifyError as VerifyError,
)
from treadle_ir.errors.lazily import lazy_names as _lazy_names
from treadle_ir.reference.evaluator import ReferenceEvaluator as ReferenceEvaluator
from treadle_ir.reference.registry import eval_rule as eval_rule, eval_rules as eval_rules
from treadle_ir.sharding.rules import sharding_rule as sharding_rule
from treadle_ir.tracing.array import (
    Array as Array,
    Operand as Operand,
    Operands as Operands,
    type_of as type_of,
    types_of as types_of,
)
from treadle_ir.tracing.interpreter import interpret as interpret
from treadle_ir.tracing.ports import Evaluator as Evaluator, install as _install
from treadle_ir.tracing.staging import Staged as Staged, stage as stage
from treadle_ir.tracing.trace import bind as bind, evaluating as evaluating

if TYPE_CHECKING:
    from treadle_ir import (
        analysis as analysis,
        drawing as drawing,
        rewrite as rewrite,
        text as text,
    )
    from treadle_ir.analysis.verifier import verify_program as verify_program
    from treadle_ir.core.equality import equal_programs as equal_programs
    from treadle_ir.core.printing import print_program as print_program
    from treadle_ir.rewrite.pass_manager import PassManager as PassManager
    from treadle_ir.rewrite.pattern import (
        RewritePattern as RewritePattern,
        apply_patterns as apply_patterns,
        rewrite_pattern as rewrite_pattern,
    )
    from treadle_ir.text.parser import parse_program as parse_program
    from treadle_ir.tracing.builder import Builder as Builder
    from treadle_ir.tracing.scopes import named_scope as named_scope

_install(evaluator=ReferenceEvaluator(), operators=_TABLE)

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.analysis.verifier": "verify_program",
            "treadle_ir.core.equality": "equal_programs",
            "treadle_ir.core.printing": "print_program",
            "treadle_ir.rewrite.pass_manager": "PassManager",
            "treadle_ir.rewrite.pattern": "RewritePattern apply_patterns rewrite_pattern",
            "treadle_ir.text.parser": "parse_program",
            "treadle_ir.tracing.builder": "Builder",
            "treadle_ir.tracing.scopes": "named_scope",
        },
        (
            "analysis",
            "drawing",
            "rewrite",
            "text",
        ),
        own=True,
    )
