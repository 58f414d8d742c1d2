"""shard_map without in_specs, within every transformation: arguments are divided as their types say.

The function works on each element alone, so the truth is the same transformation of it on one device.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import PlacementError
from treadle.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

X: Final = np.arange(1, 9, dtype=np.float32).reshape(4, 2)
SPEC: Final = P("i", "j")


def mesh_of(kind: AxisType) -> Mesh:
    """Two by two devices."""
    return treadle.make_mesh((2, 2), ("i", "j"), axis_types=(kind, kind))


def with_jvp(f: Any) -> Any:
    """A function with its own derivative as a custom rule."""
    function = treadle.custom_jvp(f)
    function.defjvp(lambda primals, tangents: treadle.jvp(f, primals, tangents))
    return function


def with_vjp(f: Any) -> Any:
    """The same, backwards."""
    function = treadle.custom_vjp(f)
    function.defvjp(lambda x: treadle.vjp(f, x), lambda pull, ct: pull(ct))
    return function


def forward(f: Any, x: Any) -> Any:
    """The function with its derivative along the argument."""
    return treadle.jvp(f, (x,), (x,))


def looped(f: Any, x: Any) -> Any:
    """The function in the body of a while_loop."""
    return lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, f(c[1]) / 8), (0, x))[1]


WITHIN: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "nothing": lambda f, x: f(x),
    "jit": lambda f, x: treadle.jit(f)(x),
    "vmap": lambda f, x: treadle.vmap(f)(tnp.stack([x, x + 1])),
    "vmap_along_the_last_axis": lambda f, x: treadle.vmap(f, in_axes=2, out_axes=2)(
        tnp.stack([x, x + 1], axis=2)
    ),
    "grad": lambda f, x: treadle.grad(lambda x: tnp.sum(f(x)))(x),
    "jvp": lambda f, x: forward(f, x),
    "jvp_of_grad": lambda f, x: forward(treadle.grad(lambda x: tnp.sum(f(x))), x),
    "vmap_of_grad": lambda f, x: treadle.vmap(treadle.grad(lambda x: tnp.sum(f(x))))(
        tnp.stack([x, x + 1])
    ),
    "grad_of_vmap": lambda f, x: treadle.grad(lambda x: tnp.sum(treadle.vmap(f)(x)))(
        tnp.stack([x, x + 1])
    ),
    "scan": lambda f, x: lax.scan(lambda c, _: (f(c) / 8, None), x, None, length=3)[0],
    "scan_over_rows": lambda f, x: lax.scan(lambda c, y: (c, f(y)), 0, tnp.stack([x, x]))[1],
    "map": lambda f, x: lax.map(f, tnp.stack([x, x + 1])),
    "while_loop": looped,
    "cond": lambda f, x: lax.cond(True, f, lambda x: x, x),
    "switch": lambda f, x: lax.switch(1, [lambda x: x, f], x),
    "checkpoint": lambda f, x: treadle.grad(lambda x: tnp.sum(treadle.checkpoint(f)(x)))(x),
    "custom_jvp": lambda f, x: treadle.jvp(with_jvp(f), (x,), (x,)),
    "custom_vjp": lambda f, x: treadle.grad(lambda x: tnp.sum(with_vjp(f)(x)))(x),
}


def function(x: Any) -> Any:
    """Compute the result of one shard."""
    return tnp.sin(x) * x


def law_of(within: Callable[[Any, Any], Any], in_force: bool, jitted: bool) -> Callable[[], None]:
    """The same results as on one device."""

    def law() -> None:
        mesh = mesh_of(AxisType.Explicit)
        mapped = treadle.shard_map(function, mesh=mesh, out_specs=SPEC)
        wanted = within(function, X)
        with treadle.set_mesh(mesh) if in_force else contextlib.nullcontext():
            x = treadle.device_put(X, NamedSharding(mesh, SPEC))
            transformed = lambda x: within(mapped, x)  # noqa: E731 - as it reads
            found = (treadle.jit(transformed) if jitted else transformed)(x)
        for one, two in zip(treadle.tree.leaves(found), treadle.tree.leaves(wanted), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-5)

    return law


def whole_without_a_mesh() -> None:
    """An array without a mesh is replicated, with a transformation and without."""
    mesh = mesh_of(AxisType.Explicit)
    seen: list[tuple[int, ...]] = []

    def noting(x: Any) -> Any:
        seen.append(x.shape)
        return x * 2

    mapped = treadle.shard_map(noting, mesh=mesh, out_specs=P(), check_vma=False)
    for change in (lambda f: f, treadle.jit, treadle.checkpoint, treadle.vmap):
        np.testing.assert_array_equal(change(mapped)(X), X * 2)
    assert seen[:3] == [(4, 2)] * 3
    assert seen[-1] == (2,)


def refused_where_the_compiler_decides() -> None:
    """Over automatic axes, types show no shardings."""
    mesh = mesh_of(AxisType.Auto)
    mapped = treadle.shard_map(function, mesh=mesh, out_specs=SPEC)
    x = treadle.device_put(X, NamedSharding(mesh, SPEC))
    with pytest.raises(PlacementError, match="is not known here"):
        treadle.jit(mapped)(x)


LAWS: Final[dict[str, Callable[[], None]]] = {
    f"{name}_{how}": law_of(within, how != "without_mesh", how == "jit")
    for name, within in WITHIN.items()
    for how in ("in_force", "without_mesh", "jit")
} | {
    "whole_without_a_mesh": whole_without_a_mesh,
    "refused_where_the_compiler_decides": refused_where_the_compiler_decides,
}
