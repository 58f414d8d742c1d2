"""pmap: a function mapped over devices.

Here all batch elements run on the first device, vectorised and compiled as one program; `shard_map` has each on a
device of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

from treadle_ir import PlacementError, functions, installed_vmap, integers
from treadle_ir.tree import tree_leaves
from treadle_runtime.jitting.jit import jit
from treadle_runtime.placement.devices import device_count

Tree: TypeAlias = Any  # a pytree: any Python object


def pmap(
    fun: Callable[..., Tree],
    axis_name: Hashable | None = None,
    *,
    in_axes: Any = 0,  # Any: trees of axes
    out_axes: Any = 0,
    static_broadcasted_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] = (),
    axis_size: int | None = None,
) -> Callable[..., Tree]:
    """A function that applies `fun` to each batch element of its arguments, one element per device.

    The results are those of one batch element per device, though all run on the first device. As with JAX, there may
    be no more batch elements than devices.

    Raises:
        PlacementError: when called, if there are more batch elements than devices.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> treadle.pmap(lambda x: 2 * x)(tnp.ones((1, 3)))
        Array([[2., 2., 2.]], dtype=float32)
    """
    functions("pmap", fun=fun)
    static = _tuple(static_broadcasted_argnums)

    @functools.wraps(fun)
    def elements(*args: Tree, **kwargs: Tree) -> Tree:
        dynamic = [i for i in range(len(args)) if i not in static]

        def call(*given: Tree, **named: Tree) -> Tree:
            values = [*args]
            for i, value in zip(dynamic, given, strict=True):
                values[i] = value
            return fun(*values, **named)

        axes = _axes(in_axes, len(args))
        vmap = installed_vmap("pmap")
        mapped = vmap(call, tuple([axes[i] for i in dynamic]), out_axes, axis_name, axis_size)
        return mapped(*[args[i] for i in dynamic], **kwargs)

    compiled = jit(elements, static_argnums=static, donate_argnums=_tuple(donate_argnums))

    @functools.wraps(fun)
    def checked(*args: Tree, **kwargs: Tree) -> Tree:
        size = axis_size
        for i, (arg, axis) in enumerate(zip(args, _axes(in_axes, len(args)), strict=True)):
            if size is None and i not in static and isinstance(axis, int):
                size = next((leaf.shape[axis] for leaf in tree_leaves(arg) if leaf.shape), None)
        if size is not None and size > device_count():
            raise PlacementError(
                f"compiling computation that requires {size} logical devices, but only {device_count()} "
                "XLA devices are available",
                fix="use vmap, or start with TREADLE_NUM_CPU_DEVICES=<n> for more virtual CPU devices",
            )
        return compiled(*args, **kwargs)

    return checked


def _tuple(given: int | Sequence[int]) -> tuple[int, ...]:
    return (given,) if isinstance(given, int) else integers("pmap", "argument numbers", given)


def _axes(in_axes: Any, count: int) -> list[Any]:
    """One axis, or tree of axes, for each argument."""
    return [*in_axes] if isinstance(in_axes, (tuple, list)) else [in_axes] * count
