"""The three rule tables of differentiation, and their decorators.

* A jvp rule computes results and their tangents, with operations under the current trace.
* A linearize rule computes the results now and returns the linear map from tangents to result tangents.
  Primitives without programs get one from their jvp rule; primitives with programs must have one.
* A transpose rule runs a linear equation backwards: from cotangents of the results to cotangents of the
  operands it is linear in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from treadle_autodiff.flat import Flat, flat
from treadle_autodiff.tangents import Linear, Tangent, Zero, materialise
from treadle_ir import MissingRuleError, Operand, Operands, Primitive, RuleTable, bind, types_of
from treadle_ir.core import inferred

P = TypeVar("P", bound=Primitive)
P_contra = TypeVar("P_contra", bound=Primitive, contravariant=True)


class JvpRule(Protocol[P_contra]):
    """Results and result tangents from operands and their tangents; at least one tangent is not `Zero`."""

    def __call__(
        self, primitive: P_contra, primals: Operands, tangents: Sequence[Tangent], /
    ) -> tuple[Operands, Sequence[Tangent]]:
        """Apply the rule."""
        ...


LinearFunction: TypeAlias = Callable[[Sequence[Tangent]], Sequence[Tangent]]


class LinearizeRule(Protocol[P_contra]):
    """Compute results now; return the linear map from tangents to result tangents for later."""

    def __call__(
        self, primitive: P_contra, primals: Operands, nonzero: Sequence[bool], /
    ) -> tuple[Operands, LinearFunction]:
        """Apply the rule."""
        ...


class TransposeRule(Protocol[P_contra]):
    """Cotangents of the `Linear` operands; None exactly where an operand is not `Linear`.

    Called only if some cotangent is not `Zero`.
    """

    def __call__(
        self,
        primitive: P_contra,
        cotangents: Sequence[Tangent],
        operands: Sequence[Operand | Linear],
        /,
    ) -> Sequence[Tangent | None]:
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


def not_linear(primitive: Primitive) -> MissingRuleError:
    """Return the error for an operation that meets a linear value in a way that is not linear."""
    return MissingRuleError(
        f"`{primitive.name}` of such operands is not linear, so it cannot be transposed",
        fix="what a jvp rule makes of its tangents must be linear in them, "
        "and so must a function that is given to linear_transpose",
    )


def linear(primitive: type[Primitive]) -> None:
    """Register the jvp rule of a primitive that is linear in all its operands: it is its own derivative."""

    def jvp(
        primitive: Primitive, primals: Operands, tangents: Sequence[Tangent], /
    ) -> tuple[Operands, Sequence[Tangent]]:
        return bind(primitive, *primals), list(bind(primitive, *[materialise(t) for t in tangents]))

    jvp_rules.register(primitive, jvp)


def locally_constant(primitive: type[Primitive], because: Flat = Flat.CONSTANT) -> None:
    """Register the jvp rule of a primitive whose results do not change with its operands: zero tangents.

    For rounding, comparisons, and whatever returns integers or booleans.

    Args:
        primitive: the class of the operation.
        because: the reason, which diagnostics show.
    """

    def jvp(
        primitive: Primitive, primals: Operands, tangents: Sequence[Tangent], /
    ) -> tuple[Operands, Sequence[Tangent]]:
        results = bind(primitive, *primals)
        types, _ = inferred(primitive, types_of(primals))
        return results, [Zero(type.tangent()) for type in types]

    jvp_rules.register(primitive, jvp)
    flat(primitive, because)
