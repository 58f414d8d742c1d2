"""Functions chosen by the platform that they run on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from treadle_ir import ArgumentError, UnsupportedError, ops
from treadle_ir.errors import functions
from treadle_numpy.lax.control.branches import switch
from treadle_numpy.operands.coerce import host_elements

__all__ = ["platform_dependent"]

Result = TypeVar("Result")
_GPU: Final = "gpu"


def platform_dependent(
    *args: Any,  # Any: trees of arrays
    default: Callable[..., Result] | None = None,
    **per_platform: Callable[..., Result],
) -> Result:
    """Call the function for the platform that this runs on: `cpu`, `cuda`, `rocm` or `tpu`.

    The platform is known when a program is compiled; only its function is compiled. Outside of programs it is
    chosen at once.

    Args:
        *args: trees of arrays, the arguments of each function.
        default: the function for platforms that are not named.
        **per_platform: functions by platform.

    Raises:
        ArgumentError: there is no function, one is not a function, or a platform is `gpu`.
        UnsupportedError: the platform is not named, and there is no default; when it is compiled.
        StructureError, ShapeError, DTypeError: in a program, the functions return different things.

    Example:
        >>> import numpy as np
        >>> from treadle_numpy import lax
        >>> print(lax.platform_dependent(np.float32(1), cpu=lambda x: x + 1, default=lambda x: x))
        2.0
    """
    name = "platform_dependent"
    given = dict(per_platform)
    functions(name, **given, **({} if default is None else {"default": default}))
    if not given and default is None:
        raise ArgumentError(
            f"{name}: there is no function", fix="write platform_dependent(x, cpu=f, default=g)"
        )
    if _GPU in given:
        raise ArgumentError(
            f"{name}: `gpu` is not a platform", fix="write cuda=..., or rocm=..., or both"
        )
    branches = [*given.values()]
    if default is not None:
        branches.append(default)
    if not given:
        return branches[0](*args)
    index = ops.platform_index(platforms=tuple(given), or_others=default is not None)
    elements = host_elements(index)
    if elements is None:
        return switch(index, branches, *args)
    chosen = int(elements)
    if chosen == len(branches):
        raise UnsupportedError(
            f"{name}: this runs on none of {', '.join(given)}, and there is no default",
            fix="give a function for this platform, or a default",
        )
    return branches[chosen](*args)
