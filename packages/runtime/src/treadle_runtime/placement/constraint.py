"""`with_sharding_constraint`, `reshard`: arrays laid over a mesh, also within a traced function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from treadle_ir import (
    ArgumentError,
    EvalTrace,
    Operand,
    Tracer,
    as_operand,
    current_trace,
    functions,
    layout_of,
    ops,
    part_shape,
    type_of,
)
from treadle_ir.tree import tree_flatten, tree_map
from treadle_runtime.placement.asked import asked_for
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.sharding import Sharding

T = TypeVar("T")


def constrained(x: Operand, sharding: Sharding) -> Operand:
    """A traced array, laid out so from here on.

    Raises:
        ShardingError: it cannot be laid out so.
    """
    if not isinstance(sharding, NamedSharding):
        return x  # where a traced array is, the compiled program decides
    shape = type_of(x).shape
    part_shape(shape, sharding.layout(len(shape)), sharding.mesh)
    return ops.sharding_constraint(
        x,
        mesh=sharding.mesh.abstract_mesh,
        layout=layout_of(sharding.spec, len(shape)),
        device_ids=tuple([device.id for device in sharding.devices]),
    )


def with_sharding_constraint(x: T, shardings: Any) -> T:
    """The arrays of a tree, laid over a mesh as said.

    Within a jitted function it tells the compiler how an intermediate array lies; otherwise the array is brought there.
    Derivatives lie in the same way.

    Args:
        x: a tree of arrays.
        shardings: a tree of `NamedSharding`, or of `PartitionSpec` over the mesh in force (`set_mesh`), that is a
            prefix of `x`; None leaves an array as it is.

    Raises:
        ShardingError: an array cannot be laid out so.
        PlacementError: there is a specification, and no mesh in force.
        ArgumentError: a leaf is no sharding, or no array.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import NamedSharding, PartitionSpec as P
        >>> lies = NamedSharding(treadle.make_mesh((1,), ("x",)), P("x"))
        >>> treadle.jit(lambda x: treadle.lax.with_sharding_constraint(x * 2, lies))(tnp.ones(2))
        Array([2., 2.], dtype=float32)
    """
    asked = asked_for("with_sharding_constraint", "shardings", shardings)
    if asked is None:
        return x
    leaves, structure = tree_flatten(x)
    wanted = asked.over("with_sharding_constraint", x)
    found = []
    for leaf, sharding in zip(leaves, wanted, strict=True):
        operand = as_operand(leaf)
        if sharding is None:
            found.append(leaf)
        elif isinstance(operand, Tracer) or not isinstance(current_trace(), EvalTrace):
            found.append(constrained(operand, sharding))
        else:
            from treadle_runtime.arrays.transfer import device_put  # noqa: PLC0415 - it needs placements

            found.append(device_put(leaf, sharding))
    laid: T = structure.unflatten(found)
    return laid


def reshard(xs: T, out_shardings: Any) -> T:
    """The arrays of a tree, laid over a mesh anew: `with_sharding_constraint` under the name for explicit axes.

    Raises:
        As `with_sharding_constraint`.
    """
    return with_sharding_constraint(xs, out_shardings)


def auto_axes(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    axes: str | tuple[str, ...] | None = None,
    out_sharding: Any = None,
) -> Callable[..., Any]:
    """A function within which the compiler lays arrays over the axes, with its results as said.

    `axes` changes nothing: the compiler does so over all axes that are not manual.

    Raises:
        As `with_sharding_constraint`, when called.
    """
    if fun is None:
        return functools.partial(auto_axes, axes=axes, out_sharding=out_sharding)
    functions("auto_axes", fun=fun)

    @functools.wraps(fun)
    def laid(*args: Any, **kwargs: Any) -> Any:
        given = kwargs.pop("out_sharding", out_sharding)
        return with_sharding_constraint(fun(*args, **kwargs), given)

    return laid


def explicit_axes(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    axes: str | tuple[str, ...] | None = None,
    in_sharding: Any = None,
) -> Callable[..., Any]:
    """A function whose arguments lie over the axes as said.

    Raises:
        As `with_sharding_constraint`, when called.
    """
    if fun is None:
        return functools.partial(explicit_axes, axes=axes, in_sharding=in_sharding)
    functions("explicit_axes", fun=fun)

    @functools.wraps(fun)
    def laid(*args: Any, **kwargs: Any) -> Any:
        given = kwargs.pop("in_sharding", in_sharding)
        if given is None:
            raise ArgumentError(
                "explicit_axes: how the arguments lie is not said",
                fix="give `in_sharding`, a specification or a tree of them",
            )
        spec = given if isinstance(given, tuple) else tree_map(lambda _: given, args)
        return fun(*with_sharding_constraint(args, spec), **kwargs)

    return laid
