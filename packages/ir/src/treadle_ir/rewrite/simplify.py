"""The named simplifications: algebra that holds for numbers but not for every rounding, overflow and nan.

Each changes results in a way that its docstring states, and that makes them more accurate unless the program rounds on
purpose. They apply to programs under `jit`, not to eager operations. The simplifications in `DEFAULT` are on; a
simplification that undoes rounding which may be intended, as `cancel_add_sub` does for floats, must be requested. The
setting `simplify` chooses, as does `simplify(program, names=...)`.

Rewrites that only move zeros and signs without any visible change are in `fold`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from treadle_ir.core.dtypes import is_floating, is_integer
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.types import ArrayType
from treadle_ir.core.values import Literal, Value
from treadle_ir.primitives.elementwise import Add, Exponential, Log, Multiply, Sqrt
from treadle_ir.rewrite.cancel import cancel_add_sub
from treadle_ir.rewrite.forward import (
    Forward,
    MadeBy,
    Rewritten,
    Rule,
    producer,
    standing_for,
)
from treadle_ir.rewrite.join import join_parts
from treadle_ir.rewrite.nested import map_programs
from treadle_ir.settings.declared import SIMPLIFY as SIMPLIFY


def log_exp(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace `log(exp(x))` by `x`, for real floating numbers.

    Without this rule the exponential overflows: log(exp(100)) is inf in f32, and -inf for -200.
    """
    made = producer(equation.operands[0], made_by, Exponential)
    if made is None or not _is_real(made.operands[0].type):
        return None
    return standing_for(equation, made.operands[0])


def log_sqrt(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace `log(sqrt(x))` by `0.5 * log(x)`, for real floating numbers.

    This saves one rounding and the square root. The result is still nan for x < 0 and -inf for 0; only the sign of the
    nan may differ.
    """
    made = producer(equation.operands[0], made_by, Sqrt)
    if made is None:
        return None
    (x,) = made.operands
    type = x.type
    if not isinstance(type, ArrayType) or not is_floating(type.dtype):
        return None
    half = Literal(type.dtype.type(0.5), ArrayType((), type.dtype, type.weak))
    log = Value(type)
    return [
        Equation(Log(), (x,), (log,), equation.effects, equation.source),
        Equation(Multiply(), (half, log), equation.results, equation.effects, equation.source),
    ]


def _is_real(type: object) -> bool:
    return isinstance(type, ArrayType) and (is_floating(type.dtype) or is_integer(type.dtype))


CANCEL: Final = "cancel_add_sub"  # a separate pass, since it must know the uses of a sum
_RULES: Final[Mapping[str, tuple[type[Primitive], Rule]]] = {
    "join_parts": (Add, join_parts),
    "log_exp": (Log, log_exp),
    "log_sqrt": (Log, log_sqrt),
}
ALL: Final[frozenset[str]] = frozenset({CANCEL, *_RULES})
DEFAULT: Final[frozenset[str]] = ALL - {CANCEL}


def enabled() -> frozenset[str]:
    """Return the enabled simplifications: `DEFAULT`, or the choice of the setting `simplify`."""
    chosen = SIMPLIFY()
    if isinstance(chosen, bool):
        return DEFAULT if chosen else frozenset()
    return ALL if chosen == "all" else frozenset(chosen.split(","))


def chosen(names: Iterable[str]) -> frozenset[str]:
    """Return the set of these names, which must be names of simplifications.

    Raises:
        ValueError: there is no simplification of that name.
    """
    wanted = frozenset(names)
    for name in sorted(wanted - ALL):
        raise ValueError(f"there is no simplification `{name}`; there are {', '.join(sorted(ALL))}")
    return wanted


def rules(names: Iterable[str]) -> dict[type[Primitive], Sequence[Rule]]:
    """Return the rules of these names, by the primitive whose equations they match; `cancel_add_sub` is not a rule.

    Raises:
        ValueError: there is no simplification of that name.
    """
    found: dict[type[Primitive], Sequence[Rule]] = {}
    for name in sorted(chosen(names) - {CANCEL}):
        primitive, rule = _RULES[name]
        found[primitive] = (*found.get(primitive, ()), rule)
    return found


def simplify(program: Program, names: Iterable[str] = DEFAULT, captured: int = 0) -> Program:
    """Apply the named simplifications, also within nested programs; the first `captured` parameters are constants.

    Raises:
        ValueError: there is no simplification of that name.
    """
    wanted = chosen(names)
    program = map_programs(program, Forward(rules(wanted), merging=False))
    return cancel_add_sub(program, captured, floats=CANCEL in wanted)
