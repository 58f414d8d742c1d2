"""`jet`: the Taylor series of a function along a curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import treadle_numpy as tnp
from treadle.experimental.jet.series import Series, ZeroSeries, moves, scaled, terms, zero_series
from treadle.experimental.jet.trace import composed
from treadle_ir import ArgumentError, Array, Operand, Operands, ShapeError, type_of
from treadle_ir.calling import as_array, flatten_arrays
from treadle_ir.errors import StructureError, boundaries, flags, functions, refused
from treadle_ir.tree import PyTreeDef, tree_unflatten

__all__ = ["jet"]

Tree: TypeAlias = Any  # a pytree: any Python object


def jet(
    fun: Callable[..., Tree],
    primals: Sequence[Tree],
    series: Sequence[Any],  # Any: sequences of trees, or zero_series
    factorial_scaled: bool = True,
    **_: Any,
) -> tuple[Tree, Tree]:
    """Return the value of a function at the start of a curve, and the derivatives of any order along the curve.

    `primals` are the arguments at `t = 0`, and `series` has, for each argument, its derivatives by `t` there: the
    first, the second, and so on, as many as the order, each a tree like the argument
    (`zero_series` for an argument that does not move). With `factorial_scaled=False` they are Taylor
    coefficients instead, `1/k!` times the derivatives.

    Returns the value, and in its structure, lists of the result's derivatives (or coefficients).
    The cost grows with the square of the order for most operations, where derivatives of derivatives double it for
    each. A function with a `custom_vjp` rule is expanded itself, without the rule.

    Raises:
        ArgumentError: `primals` or `series` is not a tuple, orders differ, or an argument moves that is not a floating
            or complex array.
        StructureError, ShapeError: a derivative is not a tree like its argument.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.jet import jet
        >>> y, (first, second, third) = jet(tnp.exp, (0.0,), ((1.0, 2.0, 0.0),))
        >>> float(y), float(first), float(second), float(third)
        (1.0, 1.0, 3.0, 7.0)
    """
    functions("jet", fun=fun)
    flags("jet", factorial_scaled=factorial_scaled)
    for name, value in (("primals", primals), ("series", series)):
        if not isinstance(value, (tuple, list)):
            raise refused("jet", name, "a tuple with one element for each argument", value)
    if len(primals) != len(series):
        raise ArgumentError(
            f"jet: there are {len(primals)} primals, but {len(series)} series",
            fix="give a series for each argument, or `zero_series` for an argument that does not move",
        )
    given = [flatten_arrays(x, f"jet: primal {i}") for i, x in enumerate(primals)]
    order = _order(series)
    leaves: list[Operand] = []
    moving: list[Series] = []
    for number, ((arrays, structure), each) in enumerate(zip(given, series, strict=True)):
        leaves += arrays
        if isinstance(each, ZeroSeries):
            moving += [zero_series] * len(arrays)
        else:
            moving += _columns(number, arrays, structure, each, factorial_scaled)
    counts = [len(arrays) for arrays, _ in given]
    structures = [structure for _, structure in given]
    outcome: list[PyTreeDef] = []

    def function(*operands: Operand) -> Operands:
        parts = iter(operands)
        args = [
            tree_unflatten(structure, [next(parts) for _ in range(count)])
            for structure, count in zip(structures, counts, strict=True)
        ]
        results, structure = flatten_arrays(fun(*args), "jet: the function's result ")
        outcome.append(structure)
        return results

    results, found = composed(function, leaves, moving, order)
    (structure,) = outcome
    values = [as_array(x) for x in results]
    lists = [
        [_presented(k, x, factorial_scaled) for k, x in enumerate(terms(y, each, order)[1:], 1)]
        for y, each in zip(results, found, strict=True)
    ]
    return tree_unflatten(structure, values), tree_unflatten(structure, lists)


def _order(series: Sequence[Any]) -> int:
    """Return how many terms each series has."""
    orders = []
    for number, each in enumerate(series):
        if isinstance(each, ZeroSeries):
            continue
        if not isinstance(each, (tuple, list)):
            raise refused(
                "jet", f"series {number}", "a sequence of derivatives, or `zero_series`", each
            )
        orders.append(len(each))
    if len(set(orders)) > 1:
        raise ArgumentError(
            f"jet: the series have {orders} terms, but must have as many for each argument",
            fix="fill up with zeros",
        )
    return orders[0] if orders else 0


def _columns(
    number: int,
    arrays: Sequence[Array],
    structure: PyTreeDef,
    series: Sequence[Tree],
    factorial_scaled: bool,
) -> list[Series]:
    """Return the series of each leaf of an argument."""
    columns: list[list[Operand]] = [[] for _ in arrays]
    for k, term in enumerate(series, 1):
        leaves, found = flatten_arrays(term, f"jet: term {k} of series {number}")
        if found != structure:
            raise StructureError(
                f"jet: term {k} of series {number} has structure {found}, but the argument has {structure}"
            )
        for column, x, leaf in zip(columns, arrays, leaves, strict=True):
            if not moves(type_of(x)):
                continue
            if leaf.shape not in ((), x.shape):
                raise ShapeError(
                    f"jet: term {k} of series {number} is {leaf.type}, but the argument is {x.type}"
                )
            whole = tnp.broadcast_to(tnp.astype(leaf, x.dtype), x.shape)
            column.append(scaled(1 / math.factorial(k), whole) if factorial_scaled else whole)
    return [column if column else zero_series for column in columns]


def _presented(k: int, x: Operand, factorial_scaled: bool) -> Array:
    return as_array(scaled(math.factorial(k), x) if factorial_scaled else x)


boundaries(__name__)
