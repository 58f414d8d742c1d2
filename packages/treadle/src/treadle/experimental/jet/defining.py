"""Short ways to give rules of Taylor mode to primitives of `treadle_ir` and to operations of libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from treadle.experimental.jet.own import chained, comp_prop, deriv_prop, linear_prop, zero_prop
from treadle.experimental.jet.registry import jet_rules, rules_by_class
from treadle.experimental.jet.series import Series, ZeroSeries, terms, zero_series
from treadle.experimental.jet.trace import composed
from treadle.extension import Primitive as LibraryPrimitive
from treadle_ir import Operand, Operands, Primitive, bind

Function: TypeAlias = Callable[..., Operand]


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
        jet_rules[prim] = partial(zero_prop, prim)
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
        jet_rules[prim] = partial(linear_prop, prim)
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
        jet_rules[prim] = partial(deriv_prop, prim, deriv)
        return

    def rule(
        primitive: Primitive, primals: Operands, series: Sequence[Series], order: int, /
    ) -> tuple[Operands, Sequence[Series]]:
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
        jet_rules[prim] = partial(comp_prop, prim, comp)
        return

    def rule(
        primitive: Primitive, primals: Operands, series: Sequence[Series], order: int, /
    ) -> tuple[Operands, Sequence[Series]]:
        return composed(lambda *xs: [comp(*xs)], primals, series, order)

    rules_by_class.register(prim, rule)
