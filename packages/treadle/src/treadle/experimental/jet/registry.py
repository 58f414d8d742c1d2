"""The rules of Taylor mode: for each primitive, the series of the results from the series of the operands.

A primitive without a rule has a series by its derivative: `y' = J(x) x'`, so the series of `y` to an order is the
series of a function of `x` and `x'` to the order below. That is what its jvp rule computes, and so every primitive
that can be differentiated forward can be expanded. A rule is an economy: the recurrences of elementary functions cost
the square of the order.

Primitives of `treadle_ir` have their rules by class; operations of libraries (`extend.core.Primitive`) have theirs in
`jet_rules`, as `own.py` says. The functions of `defining.py` take both.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar, final

from treadle.experimental.jet.series import Series
from treadle.extension import Primitive as LibraryPrimitive
from treadle_ir import Operands, Primitive, RuleTable
from treadle_ir.errors import functions, refused

P_contra = TypeVar("P_contra", bound=Primitive, contravariant=True)
P = TypeVar("P", bound=Primitive)


class JetRule(Protocol[P_contra]):
    """Results and their series, from operands and their series, at least one of which is not zero."""

    def __call__(
        self, primitive: P_contra, primals: Operands, series: Sequence[Series], order: int, /
    ) -> tuple[Operands, Sequence[Series]]:
        """Apply the rule."""
        ...


rules_by_class: Final[RuleTable[JetRule[Any]]] = RuleTable(
    "jet", "jet_rule", "treadle/experimental/jet", "treadle.experimental.jet.rules"
)


OperationRule: TypeAlias = Callable[..., Any]  # Any: as libraries write them


@final
class JetRules(UserDict[LibraryPrimitive, OperationRule]):
    """The rules of operations of libraries: `rule(primals, series, **params)`.

    `series` has a list of Taylor coefficients, `1/k!` times the derivatives, for each operand; what comes back is the
    result and the list of its coefficients, or lists of both where there are several results. `zero_term` stands for a
    coefficient that is zero, `zero_series` for a whole list. An operation without a rule is expanded by its derivative.
    """

    def __setitem__(self, key: LibraryPrimitive, item: OperationRule) -> None:
        """Give an operation its rule.

        Raises:
            ArgumentError: it is not an operation of a library, or the rule is not a function.
        """
        if not isinstance(key, LibraryPrimitive):
            raise refused(
                "jet_rules",
                "the primitive",
                "a Primitive of treadle.extend.core",
                key,
                fix="the rules of treadle's own primitives stay as they are",
            )
        functions("jet_rules", rule=item)
        super().__setitem__(key, item)


jet_rules: Final = JetRules()


def jet_rule(primitive: type[P]) -> Callable[[JetRule[P]], JetRule[P]]:
    """Register the rule of a primitive or a family."""

    def register(rule: JetRule[P]) -> JetRule[P]:
        rules_by_class.register(primitive, rule)
        return rule

    return register
