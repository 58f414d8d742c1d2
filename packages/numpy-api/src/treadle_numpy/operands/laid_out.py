"""`out_sharding` arguments: how the result of a function lies over a mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from treadle_ir import installed_resharder, left_to_the_compiler
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
