"""Exported functions over several devices: shardings of arguments and results are exported, the devices are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import errors, export, lax
from treadle.export import Exported
from treadle.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

X: Final = np.sin(np.arange(32, dtype=np.float32)).reshape(8, 4)
W: Final = np.cos(np.arange(32, dtype=np.float32)).reshape(4, 8)
MOST: Final = 8


def mesh(order: Sequence[int] | None = None) -> Mesh:
    """Four by two devices, in an order."""
    every = np.array(treadle.devices()[:MOST], object)
    if order is not None:
        every = every[[*order]]
    return Mesh(every.reshape(4, 2), ("x", "y"), (AxisType.Auto,) * 2)


def product(x: Any, w: Any) -> Any:
    """A product, whose parts are elsewhere than they were. Any: arrays."""
    return tnp.tanh(x @ w), x.sum()


def again(exported: Exported, order: int = 0) -> Exported:
    """Return the function that is restored from the bytes of `exported`."""
    return export.deserialize(exported.serialize(vjp_order=order))


def exported_product() -> Exported:
    """The product, of rows and columns."""
    over = mesh()
    rows, columns = NamedSharding(over, P("x")), NamedSharding(over, P(None, "y"))
    results = (NamedSharding(over, P("x", "y")), None)
    function = treadle.jit(product, in_shardings=(rows, columns), out_shardings=results)
    shapes = treadle.ShapeDtypeStruct(X.shape, X.dtype), treadle.ShapeDtypeStruct(W.shape, W.dtype)
    return export.export(function)(*shapes)


def close(found: Any, expected: Any) -> None:
    """Two arrays are equal, up to the order of sums. Any: arrays."""
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-5, atol=1e-5)


def shardings_travel() -> None:
    """They are those that jit was given, on any mesh with such axes, before and after."""
    there = mesh(range(MOST - 1, -1, -1))
    wanted = NamedSharding(there, P("x")), NamedSharding(there, P(None, "y"))
    for each in (exported_product(), again(exported_product())):
        assert each.nr_devices == MOST
        assert each.in_shardings_jax(there) == wanted
        assert each.out_shardings_jax(there) == (NamedSharding(there, P("x", "y")), None)
        assert '{"x"}, {"y"}' in each.mlir_module()
        assert len(each.in_shardings_hlo) == 2


def calls_use_the_exported_shardings() -> None:
    """Arguments are uncommitted arrays, and arrays over the devices in another order."""
    value, total = product(X, W)
    backwards = mesh(range(MOST - 1, -1, -1))
    line = Mesh(np.array(treadle.devices()[:MOST], object), ("q",), AxisType.Auto)
    for given in (
        None,
        NamedSharding(mesh(), P("x")),
        NamedSharding(backwards, P()),
        NamedSharding(line, P("q")),
    ):
        for each in (exported_product(), again(exported_product())):
            arguments = (
                [X, W] if given is None else [treadle.device_put(x, given) for x in (X, W.T)]
            )
            if given is not None:
                arguments[1] = treadle.device_put(arguments[1].T, NamedSharding(given.mesh, P()))
            found, added = each.call(*arguments)
            close(found, value)
            close(added, total)
            devices = mesh().flat if given is None else given.devices
            assert found.sharding.devices == devices
            here = Mesh(np.reshape(np.array(devices, object), (4, 2)), ("x", "y"))
            assert found.sharding.is_equivalent_to(NamedSharding(here, P("x", "y")), 2)


def within_jit_the_mesh_in_force_counts() -> None:
    """With automatic axes, and with explicit ones."""
    each = again(exported_product())
    for kind in AxisType.Auto, AxisType.Explicit:
        with treadle.set_mesh(treadle.make_mesh((4, 2), ("x", "y"), (kind,) * 2)):
            found, _ = treadle.jit(each.call)(X, W)
            assert found.sharding.is_equivalent_to(NamedSharding(mesh(), P("x", "y")), 2)
            close(found, product(X, W)[0])


def derivatives_are_sharded_like_arguments() -> None:
    """The exported vjp is over as many devices."""
    each = again(exported_product(), 1)
    assert each.vjp().nr_devices == MOST
    rows = treadle.device_put(X, NamedSharding(mesh(), P("x")))
    columns = treadle.device_put(W, NamedSharding(mesh(), P(None, "y")))
    found = treadle.grad(lambda x: each.call(x, columns)[0].sum())(rows)
    close(found, treadle.grad(lambda x: product(x, W)[0].sum())(X))
    assert found.sharding.is_equivalent_to(NamedSharding(mesh(), P("x")), 2)


def constraints_and_maps_travel() -> None:
    """Constraints within a function, and a shard_map, are exported."""
    over = mesh()

    def inner(x: Any) -> Any:
        return lax.with_sharding_constraint(x * 2, NamedSharding(over, P("x", "y")))

    def mapped(x: Any) -> Any:
        add = treadle.shard_map(
            lambda part: lax.psum(part, "x"), mesh=over, in_specs=P("x"), out_specs=P()
        )
        return add(x)

    functions: tuple[Callable[[Any], Any], ...] = inner, mapped
    for function in functions:
        each = again(export.export(treadle.jit(function))(X))
        assert each.nr_devices == MOST
        elsewhere = treadle.device_put(X, NamedSharding(mesh([3, 1, 0, 2, 7, 6, 5, 4]), P("y")))
        for given in (X, elsewhere):
            found = each.call(given)
            close(found, function(X))
            assert found.sharding.num_devices == MOST


def explicit_axes_travel() -> None:
    """Types of arguments and results have the given shardings."""
    with treadle.set_mesh(treadle.make_mesh((4, 2), ("x", "y"))):
        given = treadle.reshard(X, P("x"))
        each = again(export.export(treadle.jit(lambda x: x * 2))(given))
    assert each.in_shardings_jax(mesh()) == (NamedSharding(mesh(), P("x")),)
    assert each.out_shardings_jax(mesh()) == (NamedSharding(mesh(), P("x")),)
    close(each.call(X), X * 2)


def another_number_of_devices_is_refused() -> None:
    """Fewer devices, one device, other axes."""
    each = again(exported_product())
    half = Mesh(np.array(treadle.devices()[:4], object), ("q",), AxisType.Auto)
    given = [treadle.device_put(x, NamedSharding(half, P())) for x in (X, W)]
    one = [treadle.device_put(x, treadle.devices()[3]) for x in (X, W)]
    for call in (each.call, treadle.jit(each.call)):
        with pytest.raises(errors.PlacementError, match=r"8 devices.* 4") as caught:
            call(*given)
        assert any("fix:" in note for note in caught.value.__notes__)
    with pytest.raises(errors.PlacementError, match="committed to 1"):
        each.call(*one)
    with pytest.raises(errors.ShardingError, match="'x': 4"):
        each.in_shardings_jax(half)


LAWS: Final = {
    law.__name__: law
    for law in (
        shardings_travel,
        calls_use_the_exported_shardings,
        within_jit_the_mesh_in_force_counts,
        derivatives_are_sharded_like_arguments,
        constraints_and_maps_travel,
        explicit_axes_travel,
        another_number_of_devices_is_refused,
    )
}
