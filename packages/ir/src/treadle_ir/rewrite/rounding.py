"""The rule `keep_rounding`: a constant that is added and subtracted again still rounds.

`(x + C) - C` rounds x to a multiple of the distance between numbers near C, and has no other purpose. XLA of
jaxlib before 0.12 adds the two constants up, which leaves x as it is. A barrier between the two operations prevents
that. XLA takes barriers out before it fuses operations, so the barrier costs nothing when the program runs.
"""

from __future__ import annotations

from treadle_ir.core.dtypes import is_inexact
from treadle_ir.core.program import Equation
from treadle_ir.core.values import Atom, Value
from treadle_ir.primitives.call import OptimizationBarrier
from treadle_ir.primitives.elementwise import Add, Subtract
from treadle_ir.primitives.shape import BroadcastInDim
from treadle_ir.rewrite.forward import MadeBy, Rewritten, producer


def keep_rounding(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Put a barrier between two sums with constants, where the constants cancel each other.

    Constants of which more than half remains after both sums do not serve to round; they are left to XLA.
    """
    outer = _shifted(equation, made_by)
    if outer is None:
        return None
    total, second = outer
    made = made_by.get(total)
    inner = None if made is None else _shifted(made, made_by)
    if inner is None:
        return None
    first = inner[1]
    # Comparisons with nan are false, and the sum of infinities of both signs is nan: XLA may have those.
    if not abs(first + second) <= abs(second) / 2 or second == 0:
        return None
    rounded = Value(total.type)
    barrier = equation._replace(
        primitive=OptimizationBarrier(), operands=(total,), results=(rounded,)
    )
    operands = tuple([rounded if operand is total else operand for operand in equation.operands])
    return [barrier, equation._replace(operands=operands)]


def _shifted(equation: Equation, made_by: MadeBy) -> tuple[Value, complex] | None:
    """Return the value to which a sum or difference adds a constant, and the constant; None for other equations."""
    kind = type(equation.primitive)
    if kind is not Add and kind is not Subtract:
        return None
    x, y = equation.operands
    number = _constant(y, made_by)
    if number is None and kind is Add:
        x, number = y, _constant(x, made_by)
    if type(x) is not Value or number is None:
        return None
    return x, number if kind is Add else -number


def _constant(atom: Atom, made_by: MadeBy) -> complex | None:
    """Return the number in a literal, or in a literal's broadcast; None for other atoms."""
    while type(atom) is Value:
        made = producer(atom, made_by, BroadcastInDim)
        if made is None:
            return None
        atom = made.operands[0]
    return complex(atom.value) if is_inexact(atom.type.dtype) else None
