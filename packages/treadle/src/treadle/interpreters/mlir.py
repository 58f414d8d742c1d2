"""Compiled code of operations of a library's own: rules that are functions of arrays, or that build MLIR.

`register_lowering(primitive, lower_fun(function))` compiles what the function does. A builder is a rule
`(ctx, *values, **params)` that applies operations of `jaxlib.mlir.dialects.stablehlo`, or of other dialects, to MLIR's
values and returns values; `treadle.interpreters.building` has what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle.core import type_of_aval
from treadle.effect_types import lowerable_effects as lowerable_effects
from treadle.extension import Application, Primitive
from treadle.interpreters.building import (
    AxisContext as AxisContext,
    LoweringRuleContext as LoweringRuleContext,
    ModuleContext as ModuleContext,
    ShardingContext as ShardingContext,
    SPMDAxisContext as SPMDAxisContext,
    aval_to_ir_type as aval_to_ir_type,
    aval_to_ir_types as aval_to_ir_types,
    dense_int_array as dense_int_array,
    dense_int_elements as dense_int_elements,
    dtype_to_ir_type as dtype_to_ir_type,
    emit_python_callback as emit_python_callback,
    i32_attr as i32_attr,
    i64_attr as i64_attr,
    ir_constant as ir_constant,
    ir_constants as ir_constants,
    run_builder,
    shape_tensor as shape_tensor,
)
from treadle.interpreters.ir_values import (
    ConstantHandler as ConstantHandler,
    flatten_ir_types as flatten_ir_types,
    flatten_ir_values as flatten_ir_values,
    ir_attribute as ir_attribute,
    ir_tree_registry as ir_tree_registry,
    register_constant_handler as register_constant_handler,
    unflatten_ir_values_like_types as unflatten_ir_values_like_types,
)
from treadle.interpreters.modules import (
    make_ir_context as make_ir_context,
    merge_mlir_modules as merge_mlir_modules,
    module_to_bytecode as module_to_bytecode,
    module_to_string as module_to_string,
)
from treadle.interpreters.nested import (
    core_call_lowering as core_call_lowering,
    jaxpr_subcomp as jaxpr_subcomp,
    lower_jaxpr_to_fun as lower_jaxpr_to_fun,
)
from treadle.interpreters.tokens import TokenSet as TokenSet, token_type as token_type
from treadle_compiler import HloValue, IrValue, LoweringContext, ir_module, lowering_rule
from treadle_ir import (
    Array,
    ArrayType,
    MissingRuleError,
    Staged,
    Type,
    UnsupportedError,
    stage,
    type_of,
)
from treadle_ir.calling import as_array
from treadle_ir.errors import boundaries, functions, names, refused
from treadle_ir.process import frozen
from treadle_ir.tracing import Tracer
from treadle_runtime import PLATFORMS

__all__ = [
    "AxisContext",
    "ConstantHandler",
    "LoweringRule",
    "LoweringRuleContext",
    "ModuleContext",
    "SPMDAxisContext",
    "ShardingContext",
    "TokenSet",
    "Value",
    "aval_to_ir_type",
    "aval_to_ir_types",
    "core_call_lowering",
    "dense_int_array",
    "dense_int_elements",
    "dtype_to_ir_type",
    "emit_python_callback",
    "flatten_ir_types",
    "flatten_ir_values",
    "i32_attr",
    "i64_attr",
    "ir",
    "ir_attribute",
    "ir_constant",
    "ir_constants",
    "ir_tree_registry",
    "jaxpr_subcomp",
    "lower_fun",
    "lower_jaxpr_to_fun",
    "lowerable_effects",
    "make_ir_context",
    "merge_mlir_modules",
    "module_to_bytecode",
    "module_to_string",
    "register_constant_handler",
    "register_lowering",
    "shape_tensor",
    "token_type",
    "unflatten_ir_values_like_types",
]

Rule: TypeAlias = Callable[..., Any]  # Any: as libraries write them
LoweringRule = Rule
Value = IrValue

ir: Any  # `jaxlib.mlir.ir`, which has no types


def __getattr__(name: str) -> Any:  # imported when it is asked for
    if name == "ir":
        return ir_module()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_rules: Final[dict[tuple[Any, str | None], Any]] = {}
_PLATFORMS: Final[dict[str | None, tuple[str | None, ...]]] = {
    **{name: (name,) for name in (None, *PLATFORMS, "oneapi")},
    "gpu": ("cuda", "rocm"),
}
"""What a platform's name stands for."""


@final
@frozen(eq=False)
class LowerFun:
    """A rule that says what an operation is in terms of others: by a function, which is staged.

    Called from within a builder, `lower_fun(f)(ctx, *values, **params)`, it gives the values of the function's results.
    """

    function: Callable[..., Any]
    multiple_results: bool = True

    def staged(self, types: Sequence[Type], parameters: dict[str, Any]) -> Staged:
        """Stage the function for operands of these types."""

        def flat(*xs: Any) -> list[Array]:
            results = self.function(*xs, **parameters)
            return [as_array(each) for each in (results if self.multiple_results else [results])]

        return stage(flat, *types)

    def __call__(self, ctx: LoweringRuleContext, *values: IrValue, **params: Any) -> list[IrValue]:
        """Return the values of the function's results for these, whose types `ctx.avals_in` has."""
        staged = self.staged([*map(type_of_aval, ctx.avals_in)], params)
        captured = [ir_constant(each) for each in captured_arrays(staged, str(ctx.primitive))]
        return ctx.build.call(staged.program, [*captured, *values])


def captured_arrays(staged: Staged, name: str) -> list[np.ndarray[Any, np.dtype[Any]]]:
    """Return the arrays that a lowering's function closes over.

    Raises:
        UnsupportedError: one is traced.
    """
    for each in staged.captured:
        if isinstance(each, Tracer):
            raise UnsupportedError(
                f"the lowering of '{name}' closes over a traced array",
                fix="pass the array as an operand",
            )
    return [np.asarray(each) for each in staged.captured]


def lower_fun(fun: Callable[..., Any], multiple_results: bool = True) -> LowerFun:
    """Return a lowering rule of a function of arrays and parameters, written with the functions of this library.

    Example:
        >>> import treadle
        >>> from treadle.extend.core import Primitive
        >>> from treadle.interpreters import mlir
        >>> thrice_p = Primitive("thrice")
        >>> types = thrice_p.def_abstract_eval(lambda x: x)
        >>> mlir.register_lowering(thrice_p, mlir.lower_fun(lambda x: 3 * x, multiple_results=False))
        >>> print(treadle.jit(thrice_p.bind)(2.0))
        6.0
    """
    functions("lower_fun", fun=fun)
    return LowerFun(fun, bool(multiple_results))


def register_lowering(
    prim: Primitive,
    rule: Rule | LowerFun,
    platform: str | None = None,
    inline: bool = True,
    cacheable: bool = True,
) -> None:
    """Give an operation its compiled code, for all platforms or for one: a rule of `lower_fun`, or a builder.

    A builder is `rule(ctx, *values, **params)`: it gets MLIR's values, applies operations of a dialect to them, and
    returns a value for each result. `ctx` has `avals_in`, `avals_out`, `platforms`, and `emit`, which applies an
    operation by its name.

    The platform `gpu` stands for `cuda` and `rocm`.

    Raises:
        ArgumentError: `prim` is no `Primitive`.
        UnsupportedError: there is no such platform.

    Example:
        >>> import treadle
        >>> from jaxlib.mlir.dialects import stablehlo
        >>> from treadle.extend.core import Primitive
        >>> from treadle.interpreters import mlir
        >>> square_p = Primitive("square")
        >>> types = square_p.def_abstract_eval(lambda x: x)
        >>> mlir.register_lowering(square_p, lambda ctx, x: [stablehlo.multiply(x, x)])
        >>> print(treadle.jit(square_p.bind)(3.0))
        9.0
    """
    names("register_lowering", platform=platform)
    if not isinstance(rule, LowerFun):
        functions("register_lowering", rule=rule)
    if not hasattr(prim, "bind"):
        raise refused("register_lowering", "prim", "a Primitive", prim)
    if platform not in _PLATFORMS:
        known = ", ".join([name for name in _PLATFORMS if name])
        raise UnsupportedError(
            f"register_lowering: there is no platform {platform!r} for the rule of {prim}",
            fix=f"there are {known}; leave `platform` out for all of them",
        )
    for each in _PLATFORMS[platform]:
        _rules[prim, each] = rule


def rule_of(primitive: Primitive, platform: str | None) -> Rule | LowerFun:
    """Return the rule of an operation on a platform.

    Raises:
        MissingRuleError: there is none.
    """
    rule = _rules.get((primitive, platform)) or _rules.get((primitive, None))
    if rule is None:
        raise MissingRuleError(
            f"MLIR translation rule for primitive '{primitive}' not found for platform {platform}",
            fix=f"`mlir.register_lowering({primitive}_p, mlir.lower_fun(function))`",
        )
    found: Rule | LowerFun = rule
    return found


@lowering_rule(Application)
def application_lowering(
    context: LoweringContext, primitive: Application, /, *operands: HloValue
) -> Sequence[HloValue]:
    """Apply the library's rule: its function is inlined here, its builder's operations are called."""
    rule = rule_of(primitive.of, context.platform)
    if not isinstance(rule, LowerFun):
        return run_builder(rule, context, primitive, operands)
    staged = rule.staged([operand.type for operand in operands], primitive.parameters)
    captured = []
    for each in captured_arrays(staged, str(primitive.of)):
        type = type_of(each)
        assert isinstance(type, ArrayType)
        captured.append(context.constant(each, type))
    return context.inline(context.legalised(staged.program), *captured, *operands)


boundaries(__name__)
