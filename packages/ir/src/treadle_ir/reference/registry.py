"""The rule table of the reference evaluator: NumPy kernels by primitive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import numpy as np

from treadle_ir.core.primitive import Primitive
from treadle_ir.core.rules import RuleTable

P = TypeVar("P", bound=Primitive)
P_contra = TypeVar("P_contra", bound=Primitive, contravariant=True)
Elements: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class EvalRule(Protocol[P_contra]):
    """Results of a primitive on NumPy arrays, which have passed `infer`.

    Floating-point warnings are off while it runs. Results may be views of operands; no code writes to them.
    They have the element type that `infer` says.
    """

    # Any: a kernel takes as many arrays as its primitive has operands (mypy reads this pair as "any parameters")
    def __call__(self, primitive: P_contra, /, *operands: Any, **none: Any) -> Sequence[Elements]:
        """Return the results, from the attributes and the operands."""
        ...


eval_rules: Final[RuleTable[EvalRule[Any]]] = RuleTable(
    "eval", "eval_rule", "treadle_ir/reference", package="treadle_ir.reference"
)


def eval_rule(primitive: type[P]) -> Callable[[EvalRule[P]], EvalRule[P]]:
    """Register the NumPy kernel of a primitive."""

    def register(rule: EvalRule[P]) -> EvalRule[P]:
        eval_rules.register(primitive, rule)
        return rule

    return register
