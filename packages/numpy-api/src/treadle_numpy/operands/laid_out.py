"""How the result of a function lies over a mesh: as `out_sharding` says, or as another array."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from treadle_ir import (
    Array,
    explicit_mesh,
    installed_resharder,
    layout_of_operand,
    left_to_the_compiler,
    ops,
)
from treadle_numpy.operands.devices import Device

P = ParamSpec("P")
R = TypeVar("R")


def laid_out(
    function: Callable[P, R], out_sharding: Device, /, *args: P.args, **kwargs: P.kwargs
) -> R:
    """What a function returns, laid over a mesh as said; what is between is left to the compiler.

    Raises:
        ShardingError: the result cannot be laid out so.
        PlacementError: it is a specification, and no mesh is in force.
    """
    resharder = installed_resharder(function.__name__)
    with left_to_the_compiler():
        result = function(*args, **kwargs)
    laid: R = resharder(result, out_sharding)
    return laid


def lying_like(x: object, made: Array) -> Array:
    """An array of the shape of another one, divided by the same explicit axes of the mesh in force."""
    mesh = explicit_mesh()
    layout = None if mesh is None else layout_of_operand(x, mesh)
    if mesh is None or not layout or not any(layout):
        return made
    return ops.sharding_constraint(made, mesh=mesh, layout=layout)
