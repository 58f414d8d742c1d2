"""Nested programs of a library's own operations, within rules that build MLIR: in place, or as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.core import AbstractValue, type_of_aval
from treadle.interpreters.building import (
    LoweringRuleContext,
    ModuleContext,
    ir_constant,
)
from treadle.interpreters.ir_values import flatten_ir_values
from treadle.interpreters.jaxprs import AnyJaxpr, parts
from treadle.interpreters.tokens import TokenSet
from treadle.jaxprs import ClosedJaxpr, Jaxpr
from treadle_compiler import IrValue, ir_module, ir_type
from treadle_ir import Effect, Program, UnsupportedError
from treadle_ir.errors import boundaries, names, refused

__all__ = ["core_call_lowering", "jaxpr_subcomp", "lower_jaxpr_to_fun"]

Tree = Any  # Any: parameters of operations


def _called(function: str, program: Program) -> Program:
    """Return a program that can be called within a rule.

    Raises:
        UnsupportedError: it has ordered effects.
    """
    ordered = [each for each in program.effects if each.ordered]
    if ordered:
        raise UnsupportedError(
            f"{function}: the program has ordered effects, {ordered}",
            fix="register `mlir.lower_fun(function)`, which writes it in its place",
        )
    return program


def jaxpr_subcomp(
    ctx: ModuleContext,
    jaxpr: Jaxpr,
    name_stack: object,
    tokens: TokenSet,
    consts_for_constvars: Sequence[IrValue],
    *args: IrValue,
    dim_var_values: Sequence[IrValue] = (),
    const_lowering: object = None,
    outer_traceback: object = None,
) -> tuple[list[IrValue], TokenSet]:
    """Return the results of a program for these values, and the tokens as they are.

    What the program has for constants comes before its arguments; the rest is for JAX's compiler, and without an
    effect.

    Raises:
        ArgumentError: `jaxpr` is no `Jaxpr`.
        UnsupportedError: it has ordered effects.
    """
    if not isinstance(jaxpr, Jaxpr):
        raise refused("jaxpr_subcomp", "jaxpr", "a Jaxpr", jaxpr)
    program = _called("jaxpr_subcomp", jaxpr.program)
    return ctx.build.call(program, flatten_ir_values([consts_for_constvars, args])), tokens


def lower_jaxpr_to_fun(
    ctx: ModuleContext,
    name: str,
    jaxpr: ClosedJaxpr,
    effects: Sequence[Effect],
    *,
    num_const_args: int = 0,
    in_avals: Sequence[AbstractValue] | None = None,
) -> Any:
    """Return a function of the module that does what a program does, as jaxlib's `FuncOp`: `function.name.value` calls
    it.

    Args:
        ctx: the module.
        name: what it is called, or like it.
        jaxpr: the program; its constants are in the function.
        effects: the ordered effects whose tokens it takes; none.
        num_const_args: how many arguments are constants; 0.
        in_avals: the types of its arguments, which the program has.

    Raises:
        ArgumentError: `jaxpr` is none.
        UnsupportedError: there are ordered effects, or constants among the arguments.
    """
    names("lower_jaxpr_to_fun", name=name)
    program, constants = parts("lower_jaxpr_to_fun", jaxpr)
    _called("lower_jaxpr_to_fun", program)
    if num_const_args:
        raise UnsupportedError(
            f"lower_jaxpr_to_fun: {num_const_args} arguments are constants",
            fix="leave `num_const_args` at 0: constants of the program are in the function",
        )
    ir = ir_module()
    avals = jaxpr.in_avals if in_avals is None else in_avals
    types = [ir_type(type_of_aval(each)) for each in avals]
    function = ctx.build.add_function(name, types, [*map(ir_type, program.result_types)])
    block = function.add_entry_block()
    with ir.InsertionPoint(block):
        values = [*map(ir_constant, constants), *block.arguments]
        ir.Operation.create("func.return", operands=ctx.build.call(program, values))
    return function


def core_call_lowering(
    ctx: LoweringRuleContext,
    *args: IrValue,
    name: str,
    backend: object = None,
    call_jaxpr: AnyJaxpr,
    **params: Tree,
) -> list[IrValue]:
    """Return a rule of operations that call the program in their parameter `call_jaxpr`.

    `functools.partial(mlir.core_call_lowering, name="layer")` is registered. `name` and `backend` are for JAX's
    compiler, and without an effect.

    Raises:
        ArgumentError: `call_jaxpr` is none.
        UnsupportedError: it has ordered effects.
    """
    names("core_call_lowering", name=name)
    program, constants = parts("core_call_lowering", call_jaxpr)
    values = [*map(ir_constant, constants), *flatten_ir_values(args)]
    return ctx.build.call(_called("core_call_lowering", program), values)


boundaries(__name__)
