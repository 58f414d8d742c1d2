"""The named simplifications: algebra that holds for numbers but not for every rounding, overflow and nan.

Each changes results in a way that its docstring states, and that makes them more accurate. They apply to programs
under `jit`; eager operations do as they are told. `TREADLE_SIMPLIFY=0` in the environment turns all off, and
`simplify(program, names=...)` chooses.

What only moves zeros and signs in ways that no user could see is not here but in `fold`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from treadle_ir.dtypes import is_floating, is_integer
from treadle_ir.primitive import Primitive
from treadle_ir.primitives.elementwise import Add, Exponential, Log, Multiply, Sqrt, Subtract
from treadle_ir.program import Equation, Program
from treadle_ir.rewrite.forward import (
    Forward,
    MadeBy,
    Rewritten,
    Rule,
    is_atom,
    producer,
    standing_for,
)
from treadle_ir.rewrite.nested import map_programs
from treadle_ir.types import ArrayType
from treadle_ir.values import Literal, Value


def cancel_add_sub(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """`(x + y) - x` and `(y + x) - x` are `y`; for integers (where that is exact) and real floating numbers.

    Without it `(1 + 0.001) - 1` is 0.0010000467 in f32. Where x is infinite or nan, or x + y overflows, the result
    is still y, though it would be nan or infinite without it. Nothing is done when y is a scalar that x spreads.
    """
    total, x = equation.operands
    added = producer(total, made_by, Add)
    if added is None or not _is_real(total.type):
        return None
    first, second = added.operands
    if is_atom(x, first):
        return standing_for(equation, second)
    if is_atom(x, second):
        return standing_for(equation, first)
    return None


def log_exp(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """`log(exp(x))` is `x`, for real floating numbers.

    Without it the exponential overflows: log(exp(100)) is inf in f32, and -inf for -200.
    """
    made = producer(equation.operands[0], made_by, Exponential)
    if made is None or not _is_real(made.operands[0].type):
        return None
    return standing_for(equation, made.operands[0])


def log_sqrt(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """`log(sqrt(x))` is `0.5 * log(x)`, for real floating numbers.

    One rounding less, and the square root is gone. The same nan for x < 0 and -inf for 0; only the sign of that
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


_NAMED: Final[Mapping[str, tuple[type[Primitive], Rule]]] = {
    "cancel_add_sub": (Subtract, cancel_add_sub),
    "log_exp": (Log, log_exp),
    "log_sqrt": (Log, log_sqrt),
}
ALL: Final[frozenset[str]] = frozenset(_NAMED)


def enabled() -> frozenset[str]:
    """The simplifications that are on: all, or none when `TREADLE_SIMPLIFY` is `0` now."""
    return frozenset() if os.environ.get("TREADLE_SIMPLIFY", "") == "0" else ALL


def rules(names: Iterable[str]) -> dict[type[Primitive], Sequence[Rule]]:
    """The rules of these names, by the primitive whose equations they look at.

    Raises:
        ValueError: there is no such simplification.
    """
    wanted = set(names)
    for name in sorted(wanted - ALL):
        raise ValueError(f"there is no simplification `{name}`; there are {', '.join(sorted(ALL))}")
    found: dict[type[Primitive], Sequence[Rule]] = {}
    for name, (primitive, rule) in _NAMED.items():
        if name in wanted:
            found[primitive] = (*found.get(primitive, ()), rule)
    return found


def simplify(program: Program, names: Iterable[str] = ALL) -> Program:
    """Apply the named simplifications, also within nested programs.

    Raises:
        ValueError: there is none of that name.
    """
    return map_programs(program, Forward(rules(names), merging=False))
