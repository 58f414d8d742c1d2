"""The three rule tables of differentiation, and their decorators.

* A jvp rule computes results and their tangents, with operations under the current trace.
* A linearize rule computes the results now and returns the linear map from tangents to result tangents.
  Primitives without programs get one from their jvp rule; primitives with programs must have one.
* A transpose rule runs a linear equation backwards: from cotangents of the results to cotangents of the
  operands it is linear in.

A fourth table has the reasons of *flat* operations, whose results do not change with an operand, except where they
jump: a comparison, a rounding, a position. A derivative is zero through such an operation, in silence, so each has a
declared reason, which diagnostics show. A law of the conformance suite compares the declarations with the jvp rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final, Protocol, TypeAlias, TypeVar, final

from treadle_autodiff.tangents import Linear, Tangent, Tangents, Zero, materialise
from treadle_ir import (
    ArrayType,
    MissingRuleError,
    Operand,
    Operands,
    Primitive,
    RuleTable,
    bind,
    types_of,
)
from treadle_ir.core import inferred
from treadle_ir.process import frozen

Duals: TypeAlias = tuple[Operands, Tangents]
"""Results and their tangents."""
LinearFunction: TypeAlias = Callable[[Tangents], Tangents]
Linearization: TypeAlias = tuple[Operands, LinearFunction]
"""Results, and the linear map from tangents to result tangents."""
LinearOperands: TypeAlias = Sequence[Operand | Linear]
Cotangents: TypeAlias = Sequence[Tangent | None]
"""The cotangents of operands, None for those that are known."""
P = TypeVar("P", bound=Primitive)
P_contra = TypeVar("P_contra", bound=Primitive, contravariant=True)


class JvpRule(Protocol[P_contra]):
    """Results and result tangents from operands and their tangents; at least one tangent is not `Zero`."""

    def __call__(self, primitive: P_contra, primals: Operands, tangents: Tangents, /) -> Duals:
        """Apply the rule."""
        ...


class LinearizeRule(Protocol[P_contra]):
    """Compute results now; return the linear map from tangents to result tangents for later."""

    def __call__(
        self, primitive: P_contra, primals: Operands, nonzero: Sequence[bool], /
    ) -> Linearization:
        """Apply the rule."""
        ...


class TransposeRule(Protocol[P_contra]):
    """Cotangents of the `Linear` operands; None exactly where an operand is not `Linear`.

    Called only if some cotangent is not `Zero`.
    """

    def __call__(
        self,
        primitive: P_contra,
        cotangents: Tangents,
        operands: LinearOperands,
        /,
    ) -> Cotangents:
        """Apply the rule."""
        ...


class UnaryTransposeRule(Protocol[P_contra]):
    """The cotangent of the only operand, from the cotangent of the only result and the type of the operand."""

    def __call__(self, primitive: P_contra, ct: Operand, type: ArrayType, /) -> Tangent:
        """Apply the rule."""
        ...


_RULES: Final = "treadle_autodiff.rules"
_FOLDER: Final = "treadle_autodiff/rules"
jvp_rules: Final[RuleTable[JvpRule[Any]]] = RuleTable("jvp", "jvp_rule", _FOLDER, _RULES)
linearize_rules: Final[RuleTable[LinearizeRule[Any]]] = RuleTable(
    "linearize", "linearize_rule", _FOLDER, _RULES
)
transpose_rules: Final[RuleTable[TransposeRule[Any]]] = RuleTable(
    "transpose", "transpose_rule", _FOLDER, _RULES
)


def jvp_rule(primitive: type[P]) -> Callable[[JvpRule[P]], JvpRule[P]]:
    """Register the jvp rule of a primitive or a family."""

    def register(rule: JvpRule[P]) -> JvpRule[P]:
        jvp_rules.register(primitive, rule)
        return rule

    return register


def linearize_rule(primitive: type[P]) -> Callable[[LinearizeRule[P]], LinearizeRule[P]]:
    """Register the linearize rule of a primitive or a family."""

    def register(rule: LinearizeRule[P]) -> LinearizeRule[P]:
        linearize_rules.register(primitive, rule)
        return rule

    return register


def transpose_rule(primitive: type[P]) -> Callable[[TransposeRule[P]], TransposeRule[P]]:
    """Register the transpose rule of a primitive or a family."""

    def register(rule: TransposeRule[P]) -> TransposeRule[P]:
        transpose_rules.register(primitive, rule)
        return rule

    return register


def unary_transpose_rule(
    primitive: type[P],
) -> Callable[[UnaryTransposeRule[P]], UnaryTransposeRule[P]]:
    """Register the transpose rule of a primitive with one operand and one result."""

    def register(rule: UnaryTransposeRule[P]) -> UnaryTransposeRule[P]:
        def transpose(
            primitive: P,
            cotangents: Tangents,
            operands: LinearOperands,
            /,
        ) -> Cotangents:
            (ct,), (operand,) = cotangents, operands
            assert not isinstance(ct, Zero)  # a rule is called only if some cotangent is nonzero
            assert isinstance(operand, Linear)
            assert isinstance(operand.type, ArrayType)
            return [rule(primitive, ct, operand.type)]

        transpose_rules.register(primitive, transpose)
        return rule

    return register


def not_linear(primitive: Primitive) -> MissingRuleError:
    """Return the error for an operation that meets a linear value in a way that is not linear."""
    return MissingRuleError(
        f"`{primitive.name}` of such operands is not linear, so it cannot be transposed",
        fix="what a jvp rule makes of its tangents must be linear in them, "
        "and so must a function that is given to linear_transpose",
    )


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


flat_operands: Final[RuleTable[FlatOperands]] = RuleTable("flatness", "flat", _FOLDER, _RULES)


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


def linear(primitive: type[Primitive]) -> None:
    """Register the jvp rule of a primitive that is linear in all its operands: it is its own derivative."""

    def jvp(primitive: Primitive, primals: Operands, tangents: Tangents, /) -> Duals:
        return bind(primitive, *primals), list(bind(primitive, *[materialise(t) for t in tangents]))

    jvp_rules.register(primitive, jvp)


def locally_constant(primitive: type[Primitive], because: Flat = Flat.CONSTANT) -> None:
    """Register the jvp rule of a primitive whose results do not change with its operands: zero tangents.

    For rounding, comparisons, and whatever returns integers or booleans.

    Args:
        primitive: the class of the operation.
        because: the reason, which diagnostics show.
    """

    def jvp(primitive: Primitive, primals: Operands, tangents: Tangents, /) -> Duals:
        results = bind(primitive, *primals)
        types, _ = inferred(primitive, types_of(primals))
        return results, [Zero(type.tangent()) for type in types]

    jvp_rules.register(primitive, jvp)
    flat(primitive, because)
