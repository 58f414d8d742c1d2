"""The rule table of lowering, by platform, and its decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from treadle_compiler.context import LoweringContext
from treadle_compiler.value import HloValues
from treadle_ir import Primitive, RuleTable

P = TypeVar("P", bound=Primitive)
P_contra = TypeVar("P_contra", bound=Primitive, contravariant=True)


class LoweringRule(Protocol[P_contra]):
    """Write the StableHLO of one equation; returns its results."""

    # Any: a rule takes as many values as its primitive has operands (mypy reads this pair as "any parameters")
    def __call__(
        self, context: LoweringContext, primitive: P_contra, /, *operands: Any, **none: Any
    ) -> HloValues:
        """Apply the rule."""
        ...


lowering_rules: Final[RuleTable[LoweringRule[Any]]] = RuleTable(
    "lowering", "lowering_rule", "treadle_compiler/lowering", "treadle_compiler.lowering"
)
platform_rules: Final[dict[str, RuleTable[LoweringRule[Any]]]] = {}


def lowering_rule(
    primitive: type[P], *, platform: str | None = None
) -> Callable[[LoweringRule[P]], LoweringRule[P]]:
    """Register the lowering rule of a primitive or a family, for all platforms or for one.

    Raises:
        ValueError: by the decorator: there is one already.

    Example:
        >>> from dataclasses import dataclass
        >>> import numpy as np
        >>> from treadle_compiler import lower_program, lowering_rule
        >>> from treadle_ir import ArrayType, Primitive, bind, stage
        >>> @dataclass(frozen=True)
        ... class Twice(Primitive):
        ...     name = "registry_twice"
        ...     def infer(self, x):
        ...         return (x,)
        >>> @lowering_rule(Twice)
        ... def twice_lowering(context, primitive, x):
        ...     return context.emit("stablehlo.add", (x, x), context.result_types)
        >>> program = stage(lambda x: bind(Twice(), x), ArrayType((), np.dtype("f4"))).program
        >>> "stablehlo.add" in lower_program(program).text
        True
    """
    table = lowering_rules
    if platform is not None:
        table = platform_rules.setdefault(
            platform,
            RuleTable(f"{platform} lowering", "lowering_rule", "treadle_compiler/lowering"),
        )

    def register(rule: LoweringRule[P]) -> LoweringRule[P]:
        table.register(primitive, rule)
        return rule

    return register


def lowering_of(primitive: Primitive, platform: str) -> LoweringRule[Any]:
    """The rule for a primitive on a platform: the platform's own if there is one.

    Raises:
        MissingRuleError: there is none; another error where the primitive's absence has its own.
    """
    common = lowering_rules.get(type(primitive))  # this also imports the rules, on the first time
    own = platform_rules.get(platform)
    if own is not None:
        rule = own.get(type(primitive))
        if rule is not None:
            return rule
    if common is None:
        raise lowering_rules.missing(type(primitive))
    return common
