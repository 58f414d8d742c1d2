"""The rule table of vectorisation, and its decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_ir import Operands, Primitive, RuleTable

P = TypeVar("P", bound=Primitive)
P_contra = TypeVar("P_contra", bound=Primitive, contravariant=True)


class BatchRule(Protocol[P_contra]):
    """Apply a primitive to operands of which some have a batch dimension, under the current trace.

    `dims[i]` is where the batch sits in operand i (never negative), None where it is not batched; at least
    one is not None. Returns the results and where the batch sits in each.
    """

    def __call__(
        self, primitive: P_contra, axis: Axis, operands: Operands, dims: Dims, /
    ) -> WithDims:
        """Apply the rule."""
        ...


batch_rules: Final[RuleTable[BatchRule[Any]]] = RuleTable(
    "batch", "batch_rule", "treadle_batching/rules", "treadle_batching.rules"
)


def batch_rule(primitive: type[P]) -> Callable[[BatchRule[P]], BatchRule[P]]:
    """Register the batch rule of a primitive or a family."""

    def register(rule: BatchRule[P]) -> BatchRule[P]:
        batch_rules.register(primitive, rule)
        return rule

    return register
