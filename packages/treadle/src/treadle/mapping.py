"""pmap: a function mapped over devices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from treadle_batching import vmap
from treadle_ir import PlacementError
from treadle_ir.tree import tree_leaves
from treadle_runtime import device_count, jit

Tree = Any  # a pytree: any Python object


def pmap(
    fun: Callable[..., Tree],
    axis_name: Hashable | None = None,
    *,
    in_axes: Any = 0,
    out_axes: Any = 0,
    static_broadcasted_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] = (),
    axis_size: int | None = None,
) -> Callable[..., Tree]:
    """A function that applies `fun` to each row of its arguments, one row per device.

    Here all rows run on the first device, vectorised and compiled as one program: the results are those of
    one row per device. As with JAX there may be no more rows than devices. Spreading the rows over several
    devices comes with the sharding of arrays.

    Raises:
        PlacementError: there are more rows than devices.
    """
    static = (
        (static_broadcasted_argnums,)
        if isinstance(static_broadcasted_argnums, int)
        else tuple(static_broadcasted_argnums)
    )
    donated = (donate_argnums,) if isinstance(donate_argnums, int) else tuple(donate_argnums)

    @functools.wraps(fun)
    def rows(*args: Tree, **kwargs: Tree) -> Tree:
        axes = list(in_axes) if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        dynamic = [i for i in range(len(args)) if i not in static]

        def call(*given: Tree, **named: Tree) -> Tree:
            values = list(args)
            for i, value in zip(dynamic, given, strict=True):
                values[i] = value
            return fun(*values, **named)

        mapped = vmap(call, tuple(axes[i] for i in dynamic), out_axes, axis_name, axis_size)
        return mapped(*(args[i] for i in dynamic), **kwargs)

    compiled = jit(rows, static_argnums=static, donate_argnums=donated)

    @functools.wraps(fun)
    def checked(*args: Tree, **kwargs: Tree) -> Tree:
        size = axis_size
        axes = list(in_axes) if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        for i, arg in enumerate(args):
            if size is None and i not in static and isinstance(axes[i], int):
                size = next((leaf.shape[axes[i]] for leaf in tree_leaves(arg) if leaf.shape), None)
        if size is not None and size > device_count():
            raise PlacementError(
                f"compiling computation that requires {size} logical devices, but only {device_count()} "
                "XLA devices are available",
                fix="use vmap, or start with TREADLE_NUM_CPU_DEVICES=<n> for more virtual CPU devices",
            )
        return compiled(*args, **kwargs)

    return checked
