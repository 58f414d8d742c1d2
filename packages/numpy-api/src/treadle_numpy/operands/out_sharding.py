"""Shardings of results: by the argument `out_sharding`, or like another array."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from treadle_ir import Array, ops
from treadle_ir.sharding import sharding_of
from treadle_ir.tracing import Tracer, auto_axes, explicit_mesh, installed_sharding
from treadle_numpy.operands.devices import Device, placed

P = ParamSpec("P")
R = TypeVar("R")


def with_out_sharding(
    function: Callable[P, R], out_sharding: Device, /, *args: P.args, **kwargs: P.kwargs
) -> R:
    """Call a function with automatic axes, and reshard its result to `out_sharding`.

    Raises:
        ShardingError: the result cannot be sharded so.
        PlacementError: it is a specification, and no mesh is in force.
    """
    port = installed_sharding(function.__name__)
    with auto_axes():
        result = function(*args, **kwargs)
    sharded: R = port.reshard(result, out_sharding)
    return sharded


def lying_like(x: object, made: Array, *, reshaped: bool = False) -> Array:
    """Return an array where another one is, if somebody has put that there; of another shape, only on a single device.

    A traced one is divided by the same explicit axes of the mesh in force.
    """
    if not isinstance(made, Tracer) and getattr(x, "committed", False) is True:
        sharding = getattr(x, "sharding", None)
        elsewhere = reshaped and getattr(sharding, "num_devices", 1) > 1
        return made if elsewhere else placed(made, sharding)
    if reshaped:
        return made
    mesh = explicit_mesh()
    sharding = None if mesh is None else sharding_of(x, mesh)
    if mesh is None or sharding is None or sharding.is_replicated:
        return made
    return ops.sharding_constraint(made, mesh=mesh, layout=sharding.dims)
