"""`auto_axes`, `explicit_axes`: functions for which axes of the mesh in force change their type."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from treadle_ir import ArgumentError, AxisType
from treadle_ir.core import MeshAxes
from treadle_ir.errors import functions, sequence, wraps
from treadle_ir.settings import current_context
from treadle_ir.tracing import (
    MESH,
    auto_axes as within_auto_axes,
    explicit_mesh,
    over_mesh,
    staging_trace,
)
from treadle_ir.tree import tree_map
from treadle_runtime.jitting.jit import jit
from treadle_runtime.transfer.reshard import reshard


def auto_axes(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    axes: str | tuple[str, ...] | None = None,
    out_sharding: Any = None,
) -> Callable[..., Any]:
    """Wrap a function so that the compiler decides shardings over explicit axes within it.

    Args:
        fun: the function; without it, a decorator.
        axes: the axes of the mesh that become automatic; all by default.
        out_sharding: the shardings of the results, as `reshard` takes them; a call may give it instead.

    Raises:
        ArgumentError: when called, if the mesh lacks one of the axes, or if it has explicit axes and the shardings of
            the results are not specified.
        ShardingError: when called, as `reshard` raises it.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import PartitionSpec as P, auto_axes
        >>> with treadle.set_mesh(treadle.make_mesh((1,), ("x",))):
        ...     x = treadle.reshard(tnp.ones((4, 2)), P("x"))
        ...     treadle.typeof(auto_axes(lambda x: x.T @ x, out_sharding=P())(x))
        ShapedArray(float32[2,2])
    """
    if fun is None:
        return functools.partial(auto_axes, axes=axes, out_sharding=out_sharding)
    functions("auto_axes", fun=fun)

    @wraps(fun)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = kwargs.pop("out_sharding", out_sharding)
        mesh = explicit_mesh()
        named = None if mesh is None else _axes_of("auto_axes", axes, mesh)
        if named is not None and given is None:
            raise ArgumentError(
                "auto_axes: the output shardings were not specified",
                fix="give `out_sharding`, a specification or a tree of them",
            )
        with within_auto_axes(named):
            results = fun(*args, **kwargs)
        return reshard(results, given)

    return call


def _axes_of(function: str, axes: str | tuple[str, ...] | None, mesh: MeshAxes) -> tuple[str, ...]:
    """Return the axes of a mesh that change their type: the named axes, or all that are not manual."""
    there = (*mesh.auto_axes, *mesh.explicit_axes)
    if axes is None:
        return there
    named = (axes,) if isinstance(axes, str) else sequence(function, "axes", axes)
    if not {*named} <= {*there}:
        raise ArgumentError(
            f"{function}: axes are {named}, but the mesh has {there}",
            fix="name axes of the mesh in force, or leave `axes` out",
        )
    return named


def explicit_axes(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    axes: str | tuple[str, ...] | None = None,
    in_sharding: Any = None,
) -> Callable[..., Any]:
    """Wrap a function so that types show shardings over the axes of the mesh within it: the inverse of `auto_axes`.

    Args:
        fun: the function; without it, a decorator.
        axes: the axes of the mesh that become explicit; all by default.
        in_sharding: the shardings of the arguments, as `reshard` takes them; a call may give it instead.

    Raises:
        ArgumentError: when called, if there is no mesh in force, if it lacks one of the axes, or if the shardings of
            the arguments are not specified.
        ShardingError: when called, as `reshard` raises it.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import AxisType, PartitionSpec
        >>> from treadle_runtime import get_abstract_mesh, make_mesh, set_mesh
        >>> def see(x):
        ...     print(get_abstract_mesh().axis_types[0].name)
        ...     return x
        >>> with set_mesh(make_mesh((1,), ("x",), axis_types=(AxisType.Auto,))):
        ...     _ = explicit_axes(see, in_sharding=PartitionSpec("x"))(np.ones(4, np.float32))
        Explicit
    """
    if fun is None:
        return functools.partial(explicit_axes, axes=axes, in_sharding=in_sharding)
    functions("explicit_axes", fun=fun)

    @wraps(fun)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = kwargs.pop("in_sharding", in_sharding)
        if given is None:
            raise ArgumentError(
                "explicit_axes: the input shardings were not specified",
                fix="give `in_sharding`, a specification or a tree of them",
            )
        spec = given if isinstance(given, tuple) else tree_map(lambda _: given, args)
        mesh = current_context().get(MESH)
        if mesh is None:
            raise ArgumentError(
                "explicit_axes: there is no mesh in force",
                fix="call it within `with treadle.set_mesh(mesh):`",
            )
        named = _axes_of("explicit_axes", axes, mesh)
        around = staging_trace()
        if around is not None:
            around.explicit = True  # it infers the shardings of the arguments
        with over_mesh(mesh.with_types(AxisType.Explicit, named)):
            return jit(fun)(*reshard(args, spec), **kwargs)

    return call
