"""Why an operation is flat: the reasons for which a jvp rule gives only zeros, declared beside the rule.

A flat operation has results that do not change with an operand, except where they jump: a comparison, a rounding, a
position. A derivative is zero through it, in silence, so each has a declared reason, which diagnostics show. A law of
the conformance suite compares the declarations with what the rules return.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final, TypeVar, final

from treadle_ir import ArrayType, Primitive, RuleTable
from treadle_ir.process import frozen

P = TypeVar("P", bound=Primitive)


@final
class Flat(Enum):
    """A reason why the results of an operation do not change with an operand."""

    COMPARISON = "comparison"
    """The results are truth values, which jump and are constant elsewhere."""
    ROUNDING = "rounding"
    """The results are steps: they jump and are constant elsewhere."""
    POSITION = "position"
    """The operand chooses positions, which do not change when it changes a little."""
    INTEGER = "integer"
    """The results are integers or truth values, which have no derivatives."""
    ASKED = "asked"
    """The user asked for it, as `stop_gradient` does."""
    EFFECT = "effect"
    """The operand is only shown or sent; no result depends on it."""
    CONSTANT = "constant"
    """The results are the same for every value of the operand."""


@final
@frozen(eq=False)
class FlatOperands:
    """The operands with which the results of an operation do not change, and why.

    `operands` are their positions, None for all; `when` says for which operations and types of the operand it holds.
    """

    reason: Flat
    operands: tuple[int, ...] | None = None
    when: Callable[[Any, ArrayType], bool] | None = (
        None  # Any: an operation of the class it is declared for
    )


flat_operands: Final[RuleTable[FlatOperands]] = RuleTable(
    "flatness", "flat", "treadle_autodiff/rules", "treadle_autodiff.rules"
)


def flat(
    primitive: type[P],
    because: Flat,
    *,
    operands: Sequence[int] | None = None,
    when: Callable[[P, ArrayType], bool] | None = None,
) -> None:
    """Declare why the jvp rule of a primitive gives only zeros.

    Args:
        primitive: the class of the operation, or a family.
        because: the reason.
        operands: the positions of the operands with which no result changes; all by default.
        when: for which operations of the class, and which type of the operand, it holds; all by default.
    """
    places = None if operands is None else tuple(operands)
    flat_operands.register(primitive, FlatOperands(because, places, when))


def why_flat(primitive: Primitive, operand: int, type: ArrayType) -> Flat | None:
    """Return the declared reason why no result changes with an operand; None if one may.

    Args:
        primitive: the operation.
        operand: the position of the operand.
        type: the type of the operand.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType
        >>> from treadle_ir.primitives.elementwise import Floor, Sine
        >>> scalar = ArrayType((), np.dtype(np.float32))
        >>> why_flat(Floor(), 0, scalar), why_flat(Sine(), 0, scalar)
        (<Flat.ROUNDING: 'rounding'>, None)
    """
    declared = flat_operands.get(primitive.__class__)
    if declared is None or (declared.when is not None and not declared.when(primitive, type)):
        return None
    if declared.operands is not None and operand not in declared.operands:
        return None
    return declared.reason
