"""`with_sharding_constraint`, `reshard`: arrays laid over a mesh, also within a traced function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from treadle_ir import (
    MESH,
    ArgumentError,
    AxisType,
    EvalTrace,
    MeshAxes,
    Operand,
    ShardingTypeError,
    Tracer,
    as_operand,
    current_context,
    current_trace,
    explicit_mesh,
    functions,
    layout_of,
    left_to_the_compiler,
    ops,
    over_mesh,
    part_shape,
    sequence,
    sharding_of,
    spec_of,
    staging_trace,
    type_of,
    wraps,
)
from treadle_ir.tree import tree_flatten, tree_map
from treadle_runtime.placement.asked import asked_for
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.sharding import Sharding

T = TypeVar("T")


def constrained(x: Operand, sharding: Sharding, *, even: bool = True) -> Operand:
    """A traced array, laid out so from here on; in parts of one size, unless not `even`.

    Raises:
        ShardingError: it cannot be laid out so.
    """
    if not isinstance(sharding, NamedSharding):
        return x  # where a traced array is, the compiled program decides
    shape = type_of(x).shape
    if even or explicit_mesh() is not None:
        part_shape(shape, sharding.layout(len(shape)), sharding.mesh)
    return ops.sharding_constraint(
        x,
        mesh=sharding.mesh.axes,
        layout=layout_of(sharding.spec, len(shape)),
        device_ids=tuple([device.id for device in sharding.devices]),
    )


def in_memory(x: Operand, sharding: Sharding) -> Operand:
    """A traced array, in the memory of its devices that a sharding is in, from here on."""
    return ops.to_memory(x, kind=sharding.memory_kind)


def _check_lies_so(x: Operand, sharding: Sharding) -> None:
    """Where all axes of the mesh in force are explicit, a constraint changes nothing: it says how an array lies.

    Raises:
        ShardingTypeError: the array lies otherwise.
    """
    mesh = explicit_mesh()
    if mesh is None or mesh.auto_axes or not isinstance(sharding, NamedSharding):
        return
    shown = sharding_of(x, mesh)
    lies = None if shown is None else shown.dims
    if lies is not None and lies != sharding.layout(len(lies)):
        raise ShardingTypeError(
            f"with_sharding_constraint: the array lies as {spec_of(lies)}, not as {sharding.spec}; "
            "over explicit axes a constraint moves nothing",
            fix="lay it anew with reshard(x, P(...))",
        )


def with_sharding_constraint(x: T, shardings: Any) -> T:
    """The arrays of a tree, laid over a mesh as said.

    Within a jitted function it tells the compiler how an intermediate array lies, which may then be in parts of unequal
    size; otherwise the array is brought there. Derivatives lie in the same way.

    Args:
        x: a tree of arrays.
        shardings: a tree of `NamedSharding`, or of `PartitionSpec` over the mesh in force (`set_mesh`), that is a
            prefix of `x`; None leaves an array as it is.

    Raises:
        ShardingError: an array cannot be laid out so.
        ShardingTypeError: all axes of the mesh in force are explicit, and an array lies otherwise.
        PlacementError: there is a specification, and no mesh in force.
        ArgumentError: a leaf is no sharding, or no array.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import NamedSharding, PartitionSpec as P
        >>> lies = NamedSharding(treadle.make_mesh((1,), ("x",)), P("x"))
        >>> treadle.jit(lambda x: treadle.lax.with_sharding_constraint(x * 2, lies))(tnp.ones(2))
        Array([2., 2.], dtype=float32)
    """
    return _laid("with_sharding_constraint", "shardings", x, shardings, checked=True)


def _laid(function: str, argument: str, x: T, shardings: Any, checked: bool) -> T:
    asked = asked_for(function, argument, shardings)
    if asked is None:
        return x
    leaves, structure = tree_flatten(x)
    wanted = asked.over(function, x)
    found = []
    for leaf, sharding in zip(leaves, wanted, strict=True):
        operand = as_operand(leaf)
        if checked and sharding is not None:
            _check_lies_so(operand, sharding)
        if sharding is None:
            found.append(leaf)
        elif isinstance(operand, Tracer) or not isinstance(current_trace(), EvalTrace):
            found.append(constrained(operand, sharding, even=not checked))
        else:
            from treadle_runtime.arrays.transfer import device_put  # noqa: PLC0415 - it needs placements

            found.append(device_put(leaf, sharding))
    laid: T = structure.unflatten(found)
    return laid


def reshard(xs: T, out_shardings: Any) -> T:
    """The arrays of a tree, laid over a mesh anew; their types show it where the axes are explicit.

    Args:
        xs: a tree of arrays.
        out_shardings: a tree of `NamedSharding`, or of `PartitionSpec` over the mesh in force (`set_mesh`), that is a
            prefix of `xs`.

    Raises:
        ShardingError: an array cannot be laid out so.
        PlacementError: there is a specification, and no mesh in force.
        ArgumentError: a leaf is no sharding, or no array.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import PartitionSpec as P
        >>> with treadle.set_mesh(treadle.make_mesh((1,), ("x",))):
        ...     treadle.typeof(treadle.reshard(tnp.ones((4, 2)), P("x")))
        ShapedArray(float32[4@x,2])
    """
    return _laid("reshard", "out_shardings", xs, out_shardings, checked=False)


def auto_axes(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    axes: str | tuple[str, ...] | None = None,
    out_sharding: Any = None,
) -> Callable[..., Any]:
    """A function within which the compiler lays arrays over explicit axes, with its results as said.

    Args:
        fun: the function; without it, a decorator.
        axes: the axes of the mesh that the compiler lays arrays over; all where nothing is said.
        out_sharding: how results lie, as of `reshard`; a call may give it instead.

    Raises:
        ArgumentError: when called, if the mesh lacks one of the axes, or if nobody says how results lie over explicit
            axes.
        As `reshard`, when called.

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
    def laid(*args: Any, **kwargs: Any) -> Any:
        given = kwargs.pop("out_sharding", out_sharding)
        mesh = explicit_mesh()
        named = None if mesh is None else _axes_of("auto_axes", axes, mesh)
        if named is not None and given is None:
            raise ArgumentError(
                "auto_axes: how the results lie is not said",
                fix="give `out_sharding`, a specification or a tree of them",
            )
        with left_to_the_compiler(named):
            results = fun(*args, **kwargs)
        return reshard(results, given)

    return laid


def _axes_of(function: str, axes: str | tuple[str, ...] | None, mesh: MeshAxes) -> tuple[str, ...]:
    """The axes of a mesh that are to change their type: those named, or all that no shard_map has."""
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
    """A function within which types show how arrays lie over the axes of the mesh: the way back of `auto_axes`.

    Args:
        fun: the function; without it, a decorator.
        axes: the axes of the mesh that types show; all where nothing is said.
        in_sharding: how arguments lie, as of `reshard`; a call may give it instead.

    Raises:
        ArgumentError: when called, if there is no mesh in force, if it lacks one of the axes, or if nobody says how
            arguments lie.
        As `reshard`, when called.

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
    def laid(*args: Any, **kwargs: Any) -> Any:
        from treadle_runtime.jitting.jit import jit  # noqa: PLC0415 - it needs placements

        given = kwargs.pop("in_sharding", in_sharding)
        if given is None:
            raise ArgumentError(
                "explicit_axes: how the arguments lie is not said",
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
            around.explicit = True  # it is to know how arguments lie
        with over_mesh(mesh.with_types(AxisType.Explicit, named)):
            return jit(fun)(*reshard(args, spec), **kwargs)

    return laid
