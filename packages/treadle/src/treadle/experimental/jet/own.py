"""Operations of libraries in Taylor mode: how their rules are applied, and rules for the common kinds.

`deriv_prop`, `linear_prop` and `zero_prop` are applied rules; with `functools.partial` over an operation they are
entries of `jet_rules`. Coefficients are normalised in all of them, `1/k!` times the derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from treadle.experimental.jet.registry import jet_rule, jet_rules
from treadle.experimental.jet.series import (
    Series,
    ZeroSeries,
    ZeroTerm,
    derivative,
    integral,
    moves,
    product,
    terms,
    zero_series,
    zeros_like,
)
from treadle.experimental.jet.trace import by_derivative, composed
from treadle.extension import Application, Primitive
from treadle_ir import ArgumentError, Operand, Operands, ShapeError, ops, type_of
from treadle_ir.calling import as_array
from treadle_ir.errors import boundaries, functions, refused, sequence

__all__ = ["deriv_prop", "linear_prop", "zero_prop"]

Tree: TypeAlias = Any  # Any: what rules of libraries take and return: arrays, and lists of them


class Operation(Protocol):
    """What can be bound to arrays: a library's operation, or a primitive of `lax`."""

    @property
    def multiple_results(self) -> bool:
        """Whether `bind` returns a list."""
        ...

    def bind(self, *args: Any, **params: Any) -> Any:  # Any: arrays
        """Apply it."""
        ...


@jet_rule(Application)
def application_jet(
    primitive: Application, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Apply the library's rule, or the derivative if there is none."""
    of = primitive.of
    if of not in jet_rules:
        return by_derivative(primitive, primals, series, order)
    given = [
        [as_array(each) for each in terms(x, rest, order)[1:]]
        for x, rest in zip(primals, series, strict=True)
    ]
    results, found = jet_rules[of](tuple(map(as_array, primals)), given, **primitive.parameters)
    listed: list[Operand] = [as_array(result) for result in of.listed(results)]
    if isinstance(found, ZeroSeries):
        return listed, [zero_series] * len(listed)
    each_found = sequence(f"the jet rule of {of}", "the series", of.listed(found))
    if len(each_found) != len(listed):
        raise ArgumentError(
            f"the jet rule of {of} returned {len(listed)} results, but {len(each_found)} series",
            fix="return a list of coefficients, or zero_series, for each result",
        )
    return listed, [
        _taken(of, result, each, order) for result, each in zip(listed, each_found, strict=True)
    ]


def _taken(of: Primitive, result: Operand, series: Tree, order: int) -> Series:
    """Return a series that a rule returned for a result."""
    type = type_of(result)
    if isinstance(series, ZeroSeries) or not moves(type):
        return zero_series
    found = sequence(f"the jet rule of {of}", "a series", series)
    if len(found) != order:
        raise ArgumentError(
            f"the jet rule of {of} returned {len(found)} coefficients, but the order is {order}",
            fix="return as many coefficients as each series of the operands has",
        )
    coefficients: list[Operand] = []
    for each in found:
        if isinstance(each, ZeroTerm):
            coefficients.append(zeros_like(result))
            continue
        array = as_array(each)
        if array.type.shape != type.shape:
            raise ShapeError(
                f"the jet rule of {of} returned a coefficient of shape {array.type.shape} "
                f"for a result of shape {type.shape}",
                fix="a coefficient has the shape of its result",
            )
        same = array.type.dtype == type.dtype
        coefficients.append(array if same else ops.convert(array, dtype=type.dtype))
    return coefficients


def _columns(
    what: str, primals_in: Sequence[Tree], series_in: Sequence[Tree]
) -> tuple[list[Operand], list[Series]]:
    """Return operands, and the series of each."""
    primals: list[Operand] = [as_array(x) for x in sequence(what, "primals_in", primals_in)]
    series = sequence(what, "series_in", series_in)
    if len(primals) != len(series):
        raise ArgumentError(
            f"{what}: there are {len(primals)} operands, but {len(series)} series",
            fix="give a list of coefficients for each operand",
        )
    found: list[Series] = []
    for x, each in zip(primals, series, strict=True):
        if isinstance(each, ZeroSeries):
            found.append(each)
            continue
        found.append(
            [
                zeros_like(x) if isinstance(term, ZeroTerm) else as_array(term)
                for term in sequence(what, "each series", each)
            ]
        )
    return primals, found


def _order(what: str, series: Sequence[Series]) -> int:
    orders = {len(each) for each in series if not isinstance(each, ZeroSeries)}
    if len(orders) != 1:
        raise ArgumentError(
            f"{what}: the series have {sorted(orders) or 'no'} coefficients, but all must have as many",
            fix="give lists of one length",
        )
    return orders.pop()


def _checked(what: str, prim: object) -> None:
    if not callable(getattr(prim, "bind", None)) or isinstance(prim, type):
        raise refused(what, "prim", "a Primitive of treadle.extend.core", prim)


def zero_prop(
    prim: Operation, primals_in: Sequence[Tree], series_in: Sequence[Tree], **params: Any
) -> tuple[Tree, ZeroSeries]:
    """Return the results of an operation that does not move, and `zero_series`.

    Raises:
        ArgumentError: `prim` is not an operation.

    Example:
        >>> from functools import partial
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.jet import jet, jet_rules, zero_prop
        >>> from treadle.extend.core import Primitive
        >>> step_p = Primitive("step")
        >>> impl, types = step_p.def_impl(tnp.floor), step_p.def_abstract_eval(lambda x: x)
        >>> jet_rules[step_p] = partial(zero_prop, step_p)
        >>> y, (first,) = jet(lambda x: step_p.bind(x) * x, (2.5,), ((1.0,),))
        >>> float(y), float(first)
        (5.0, 2.0)
    """
    _checked("zero_prop", prim)
    primals = sequence("zero_prop", "primals_in", primals_in)
    return prim.bind(*primals, **params), zero_series


def linear_prop(
    prim: Operation, primals_in: Sequence[Tree], series_in: Sequence[Tree], **params: Any
) -> tuple[Tree, Tree]:
    """Return the results and series of an operation that is linear in all its operands together.

    Raises:
        ArgumentError: `prim` is not an operation, or the series have different lengths.

    Example:
        >>> from functools import partial
        >>> from treadle.experimental.jet import jet, jet_rules, linear_prop
        >>> from treadle.extend.core import Primitive
        >>> half_p = Primitive("half")
        >>> impl, types = half_p.def_impl(lambda x: x / 2), half_p.def_abstract_eval(lambda x: x)
        >>> jet_rules[half_p] = partial(linear_prop, half_p)
        >>> y, (first, second) = jet(lambda x: half_p.bind(x * x), (3.0,), ((1.0, 0.0),))
        >>> float(y), float(first), float(second)
        (4.5, 3.0, 1.0)
    """
    _checked("linear_prop", prim)
    primals, series = _columns("linear_prop", primals_in, series_in)
    order = _order("linear_prop", series)
    columns = zip(
        *[terms(x, each, order) for x, each in zip(primals, series, strict=True)], strict=True
    )
    first, *rest = [prim.bind(*column, **params) for column in columns]
    if not prim.multiple_results:
        return first, rest
    return first, [list(each) for each in zip(*rest, strict=True)]


def deriv_prop(
    prim: Operation,
    deriv: Callable[[Tree], Tree],
    primals_in: Sequence[Tree],
    series_in: Sequence[Tree],
) -> tuple[Tree, Tree]:
    """Return the result and series of a primitive with one operand, from its derivative `deriv(x) = p'(x)`.

    Raises:
        ArgumentError: `prim` is not a primitive, `deriv` is not a function, or there is not exactly one operand.

    Example:
        >>> from functools import partial
        >>> from treadle.experimental.jet import deriv_prop, jet, jet_rules
        >>> from treadle.extend.core import Primitive
        >>> cube_p = Primitive("cube")
        >>> impl, types = cube_p.def_impl(lambda x: x**3), cube_p.def_abstract_eval(lambda x: x)
        >>> jet_rules[cube_p] = partial(deriv_prop, cube_p, lambda x: 3 * x * x)
        >>> y, (first, second) = jet(cube_p.bind, (2.0,), ((1.0, 0.0),))
        >>> float(y), float(first), float(second)
        (8.0, 12.0, 12.0)
    """
    _checked("deriv_prop", prim)
    functions("deriv_prop", deriv=deriv)
    primals, series = _columns("deriv_prop", primals_in, series_in)
    if len(primals) != 1:
        raise ArgumentError(
            f"deriv_prop: there are {len(primals)} operands, but it is for operations of one"
        )
    (x,), (given,) = primals, series
    result = prim.bind(x)
    if isinstance(given, ZeroSeries):
        return result, given
    return result, chained(deriv, x, given)


def chained(deriv: Callable[[Tree], Tree], x: Operand, given: Sequence[Operand]) -> list[Operand]:
    """Return the coefficients of `p` along a curve through `x`, from `p'`: it is the integral of `p'(x) x'`."""
    order = len(given)
    slopes, changes = composed(lambda x: [deriv(x)], [x], [given[:-1]], order - 1)
    return integral(product(terms(slopes[0], changes[0], order - 1), derivative(given)))


def comp_prop(
    prim: Operation,
    comp: Callable[..., Tree],
    primals_in: Sequence[Tree],
    series_in: Sequence[Tree],
    **params: Any,
) -> tuple[Tree, Tree]:
    """Return the result and series of an operation that is a function of others, `comp(*operands, **params)`."""
    primals, series = _columns("def_comp", primals_in, series_in)
    order = _order("def_comp", series)
    (result,), (found,) = composed(lambda *xs: [comp(*xs, **params)], primals, series, order)
    return result, found


boundaries(__name__)
