"""How operations are batched: `batch` sees values of all batch elements, and specs where axes have no numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from treadle.core import AbstractValue
from treadle.experimental.hijax.application import HiApplication, parts, value_of
from treadle.experimental.hijax.mapped import Mapped, dims_of_results
from treadle.experimental.hijax.prim import HiPrim
from treadle.experimental.hijax.types import HiType, axes_of, lo_types, opened, specs_of
from treadle.interpreters.batching import AxisData
from treadle_batching import Axis, Dim, batch_rule, with_dim
from treadle_ir import Operand, Operands, UnsupportedError
from treadle_ir.calling import as_array
from treadle_ir.tree import tree_unflatten

Tree: TypeAlias = Any  # Any: what rules of libraries take and return


@batch_rule(HiApplication)
def application_batch(
    primitive: HiApplication, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """Apply `batch`, or the other rules and `batch_dim_rule`."""
    of = primitive.of
    values, shown_dims = [], []
    for aval, mine, where in zip(
        of.in_flat, parts(of.in_flat, operands), parts(of.in_flat, dims), strict=True
    ):
        value, dim = _batched_value(of, aval, mine, where, axis)
        values.append(value)
        shown_dims.append(dim)
    data = AxisData(axis.name, axis.size)
    args, where = tree_unflatten(of.in_tree, values), tree_unflatten(of.in_tree, shown_dims)
    output, out_dims = batched(of, data, args, where)
    results: list[Operand] = []
    placed: list[Dim] = []
    leaves = of.out_tree.flatten_up_to(output)
    for aval, leaf, dim in zip(of.out_flat, leaves, dims_of_results(of, out_dims), strict=True):
        if isinstance(aval, HiType):
            found = aval if dim is None else aval.inc_rank(axis.size, dim)
            assert isinstance(found, HiType)
            results += opened(found, leaf)
            placed += [None] * len(of.parts(found, leaf)) if dim is None else axes_of(aval, dim)
        else:
            results.append(as_array(leaf))
            placed.append(None if dim is None else int(dim) % as_array(leaf).ndim)
    return results, placed


def batched(of: HiPrim, data: AxisData, args: tuple[Tree, ...], dims: tuple[Tree, ...]) -> Tree:
    """Return the results of all batch elements, and where their axis is."""
    if of.has_rule("batch") or not of.has_rule("batch_dim_rule"):
        return of.batch(data, args, dims)
    out_dims = of.batch_dim_rule(data, dims)
    return Mapped(of, data, dims, out_dims)(*args), out_dims


def _batched_value(
    of: HiPrim, aval: AbstractValue, mine: Sequence[Operand], where: Sequence[Dim], axis: Axis
) -> tuple[Tree, Any]:
    """Return an argument of all batch elements, and where their axis is."""
    if all(dim is None for dim in where):
        return value_of(aval, list(map(as_array, mine))), None
    if not isinstance(aval, HiType):
        return as_array(mine[0]), where[0]
    lo = len(lo_types(aval))
    several = [(spec, axes_of(aval, spec)) for spec in specs_of(aval)]
    # A spec that has the axes where they are; else a spec to which they can be moved.
    exact = [pair for pair in several if tuple(where[:lo]) == pair[1][:lo]]
    loose = [
        pair
        for pair in several
        if all(dim is None or to is not None for dim, to in zip(where, pair[1], strict=True))
    ]
    for spec, axes in (*exact, *loose):
        stacked = aval.inc_rank(axis.size, spec)
        assert isinstance(stacked, HiType)
        moved = [
            x if to is None else with_dim(x, dim, to, axis)
            for x, dim, to in zip(mine, where, axes, strict=True)
        ]
        return value_of(stacked, list(map(as_array, moved))), spec
    raise UnsupportedError(
        f"vmap of {of}: a value of type {aval} is batched along {tuple(where)}, which no known MappingSpec says",
        fix=f"define `{type(aval).__name__}.leading_axis_spec`",
    )
