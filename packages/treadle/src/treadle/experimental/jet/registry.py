"""The rules of Taylor mode: for each primitive, the series of the results from the series of the operands.

A primitive without a rule has a series by its derivative: `y' = J(x) x'`, so the series of `y` to an order is the
series of a function of `x` and `x'` to the order below. That is what its jvp rule computes, and so every primitive
that can be differentiated forward can be expanded. A rule is an economy: the recurrences of elementary functions cost
the square of the order.

Primitives of `treadle_ir` have their rules by class; operations of libraries (`extend.core.Primitive`) have theirs in
`jet_rules`, as `own.py` says. `defzero` and its like take both.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeAlias, TypeVar, final

from treadle.experimental.jet.series import Series, ZeroSeries, terms, zero_series
from treadle.extension import Primitive as LibraryPrimitive
from treadle_ir import Operand, Operands, Primitive, RuleTable, bind
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


Function: TypeAlias = Callable[..., Operand]

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


def defzero(prim: type[Primitive] | LibraryPrimitive) -> None:
    """Say that the results of a primitive do not move, whatever the operands do: rounding, comparisons.

    Example:
        >>> from dataclasses import dataclass
        >>> import numpy as np
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.jet import jet
        >>> from treadle_ir import eval_rule
        >>> @dataclass(frozen=True)
        ... class Step(Primitive):
        ...     name = "jet_step"
        ...     def infer(self, x):
        ...         return (x,)
        >>> @eval_rule(Step)
        ... def step_eval(primitive, x):
        ...     return (np.floor(x),)
        >>> defzero(Step)
        >>> y, (first,) = jet(lambda x: bind(Step(), x)[0], (tnp.float32(2.5),), ((1.0,),))
        >>> float(y), float(first)
        (2.0, 0.0)
    """

    if isinstance(prim, LibraryPrimitive):
        from treadle.experimental.jet import own  # noqa: PLC0415 - it needs the trace, which needs the rules

        jet_rules[prim] = partial(own.zero_prop, prim)
        return

    def rule(
        primitive: Primitive, primals: Operands, series: Sequence[Series], order: int, /
    ) -> tuple[Operands, Sequence[Series]]:
        results = bind(primitive, *primals)
        return results, [zero_series for _ in results]

    rules_by_class.register(prim, rule)


def deflinear(prim: type[Primitive] | LibraryPrimitive) -> None:
    """Say that a primitive with one result is linear in all its operands together.

    Example:
        >>> from dataclasses import dataclass
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.jet import jet
        >>> from treadle_ir import eval_rule
        >>> @dataclass(frozen=True)
        ... class Half(Primitive):
        ...     name = "jet_half"
        ...     def infer(self, x):
        ...         return (x,)
        >>> @eval_rule(Half)
        ... def half_eval(primitive, x):
        ...     return (x / 2,)
        >>> deflinear(Half)
        >>> y, (first,) = jet(lambda x: bind(Half(), x)[0], (tnp.float32(3.0),), ((1.0,),))
        >>> float(y), float(first)
        (1.5, 0.5)
    """

    if isinstance(prim, LibraryPrimitive):
        from treadle.experimental.jet import own  # noqa: PLC0415 - it needs the trace, which needs the rules

        jet_rules[prim] = partial(own.linear_prop, prim)
        return

    def rule(
        primitive: Primitive, primals: Operands, series: Sequence[Series], order: int, /
    ) -> tuple[Operands, Sequence[Series]]:
        columns = zip(
            *[terms(x, each, order) for x, each in zip(primals, series, strict=True)], strict=True
        )
        first, *rest = [bind(primitive, *column)[0] for column in columns]
        return [first], [rest]

    rules_by_class.register(prim, rule)


def def_deriv(prim: type[Primitive] | LibraryPrimitive, deriv: Function) -> None:
    """Give a primitive of one operand by its derivative: `deriv(x)` is the function `p'(x)`.

    Example:
        >>> from dataclasses import dataclass
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.jet import def_deriv, jet
        >>> from treadle_ir import Primitive, bind, eval_rule
        >>> @dataclass(frozen=True)
        ... class Cube(Primitive):
        ...     name = "jet_cube"
        ...     def infer(self, x):
        ...         return (x,)
        >>> @eval_rule(Cube)
        ... def cube_eval(primitive, x):
        ...     return (x * x * x,)
        >>> def_deriv(Cube, lambda x: 3 * x * x)
        >>> y, (first, second) = jet(lambda x: bind(Cube(), x)[0], (tnp.float32(2.0),), ((1.0, 0.0),))
        >>> float(y), float(first), float(second)
        (8.0, 12.0, 12.0)
    """

    if isinstance(prim, LibraryPrimitive):
        from treadle.experimental.jet import own  # noqa: PLC0415 - it needs the trace, which needs the rules

        jet_rules[prim] = partial(own.deriv_prop, prim, deriv)
        return

    def rule(
        primitive: Primitive, primals: Operands, series: Sequence[Series], order: int, /
    ) -> tuple[Operands, Sequence[Series]]:
        from treadle.experimental.jet.own import chained  # noqa: PLC0415 - it needs the trace, which needs the rules

        (x,), (given,) = primals, series
        assert not isinstance(given, ZeroSeries), "a rule is called only if something moves"
        return bind(primitive, x), [chained(deriv, x, given)]

    rules_by_class.register(prim, rule)


def def_comp(prim: type[Primitive] | LibraryPrimitive, comp: Function) -> None:
    """Give a primitive with one result as a function of others: `comp(*operands)` is expanded in its place.

    Example:
        >>> from dataclasses import dataclass
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.jet import jet
        >>> from treadle_ir import eval_rule
        >>> @dataclass(frozen=True)
        ... class FourthPower(Primitive):
        ...     name = "jet_fourth_power"
        ...     def infer(self, x):
        ...         return (x,)
        >>> @eval_rule(FourthPower)
        ... def fourth_power_eval(primitive, x):
        ...     return (x**4,)
        >>> def_comp(FourthPower, lambda x: (x * x) * (x * x))
        >>> y, (first,) = jet(lambda x: bind(FourthPower(), x)[0], (tnp.float32(2.0),), ((1.0,),))
        >>> float(y), float(first)
        (16.0, 32.0)
    """

    if isinstance(prim, LibraryPrimitive):
        from treadle.experimental.jet import own  # noqa: PLC0415 - it needs the trace, which needs the rules

        jet_rules[prim] = partial(own.comp_prop, prim, comp)
        return

    def rule(
        primitive: Primitive, primals: Operands, series: Sequence[Series], order: int, /
    ) -> tuple[Operands, Sequence[Series]]:
        from treadle.experimental.jet.trace import composed  # noqa: PLC0415 - it needs the rules

        return composed(lambda *xs: [comp(*xs)], primals, series, order)

    rules_by_class.register(prim, rule)
