"""Compiled code of operations of a library's own: `register_lowering(primitive, lower_fun(function))`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle.extension import Application, Primitive
from treadle_compiler import HloValue, LoweringContext, lowering_rule
from treadle_ir import (
    Array,
    ArrayType,
    MissingRuleError,
    Tracer,
    UnsupportedError,
    as_array,
    frozen,
    functions,
    names,
    refused,
    stage,
    type_of,
)

__all__ = ["LoweringRuleContext", "emit_python_callback", "lower_fun", "register_lowering"]

Rule: TypeAlias = Callable[..., Any]  # Any: as libraries write them

LoweringRuleContext = LoweringContext
_rules: Final[dict[tuple[Any, str | None], Any]] = {}


@final
@frozen(eq=False)
class LowerFun:
    """A rule that says what an operation is in terms of others: by a function, which is staged."""

    function: Callable[..., Any]
    multiple_results: bool = True


def lower_fun(fun: Callable[..., Any], multiple_results: bool = True) -> LowerFun:
    """A lowering rule of a function of arrays and parameters, written with the functions of this library.

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

    A builder is `rule(context, *values, **params)`; `context.emit` writes StableHLO
    (`treadle_compiler.LoweringContext`), and it returns the values of the results.

    Raises:
        ArgumentError: `prim` is no `Primitive`.
    """
    names("register_lowering", platform=platform)
    if not isinstance(rule, LowerFun):
        functions("register_lowering", rule=rule)
    if not hasattr(prim, "bind"):
        raise refused("register_lowering", "prim", "a Primitive", prim)
    _rules[prim, platform] = rule


def emit_python_callback(*args: object, **kwargs: object) -> Any:
    """JAX's builder of callbacks; treadle writes them differently.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(
        "emit_python_callback: rules that build MLIR by hand are not run by treadle",
        fix="lower a function that calls `pure_callback`: `mlir.lower_fun`",
    )


def rule_of(primitive: Primitive, platform: str | None) -> Rule | LowerFun:
    """The rule of an operation on a platform.

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
    """By the library's rule: what its function does is written here."""
    rule = rule_of(primitive.of, context.platform)
    if not isinstance(rule, LowerFun):
        built = rule(context, *operands, **primitive.parameters)
        return list(built) if isinstance(built, (tuple, list)) else [built]
    function, several = rule.function, rule.multiple_results

    def flat(*xs: Any) -> list[Array]:
        results = function(*xs, **primitive.parameters)
        return [as_array(each) for each in (results if several else [results])]

    staged = stage(flat, *[operand.type for operand in operands])
    captured = []
    for each in staged.captured:
        if isinstance(each, Tracer):
            raise UnsupportedError(
                f"the lowering of '{primitive.of}' closes over a traced array",
                fix="pass the array as an operand",
            )
        type = type_of(each)
        assert isinstance(type, ArrayType)
        captured.append(context.constant(np.asarray(each), type))
    return context.inline(staged.program, *captured, *operands)
