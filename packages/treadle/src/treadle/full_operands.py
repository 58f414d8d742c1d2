"""Equations as JAX has them where treadle's take more: a scalar in the place of an array."""

from __future__ import annotations

from treadle_ir import Atom, Equation, Value
from treadle_ir.core import PURE
from treadle_ir.core.types import ArrayType
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.shape import BroadcastInDim


def in_full(equation: Equation) -> list[Equation]:
    """Return the equations that JAX has for one of a program.

    `Select` chooses between scalars, too, but the choices of `select_n` have the shape of the result: what is a scalar
    is broadcast before.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> made = treadle.make_jaxpr(lambda x: tnp.where(x > 0, x, 0.0))(tnp.ones(3))
        >>> [each.primitive.name for each in in_full(made.program.equations[-1])]
        ['broadcast_in_dim', 'select']
    """
    if not isinstance(equation.primitive, Select):
        return [equation]
    shape = equation.results[0].type.shape  # type: ignore[attr-defined]  # of an array
    condition, *choices = equation.operands
    before: list[Equation] = []
    whole: list[Atom] = [condition]
    for choice in choices:
        type = choice.type
        if isinstance(type, ArrayType) and type.shape != shape:
            wide = Value(type.with_shape(shape))
            broadcast = BroadcastInDim(shape, ())
            before.append(Equation(broadcast, (choice,), (wide,), PURE, equation.source))
            choice = wide
        whole.append(choice)
    return [*before, equation._replace(operands=tuple(whole))]
