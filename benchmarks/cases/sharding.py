"""Arrays over eight virtual devices of the CPU: calls, transfers, resharding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy

from cases.base import Budget, Case, Namespace


def sharding(ns: Namespace, *spec: Any) -> Any:
    """A sharding over a mesh of four by two devices, whose layout is left to the compiler."""
    kinds = ns.top.sharding
    devices = numpy.array(ns.top.devices()).reshape(4, 2)
    mesh = kinds.Mesh(devices, ("x", "y"))
    return kinds.NamedSharding(mesh, kinds.PartitionSpec(*spec))


def spread(ns: Namespace, size: int, *spec: Any) -> Any:
    """A square matrix over the mesh."""
    host = numpy.arange(size * size, dtype=numpy.float32).reshape(size, size) / size**2
    return ns.wait(ns.top.device_put(host, sharding(ns, *spec)))


def jitted(count: int) -> Callable[[Namespace], Callable[[], Any]]:
    """A jitted function of so many arrays over the mesh."""

    def make(ns: Namespace) -> Callable[[], Any]:
        xs = [spread(ns, 8, "x", "y") for _ in range(count)]
        function = ns.jit(lambda *xs: [2 * x for x in xs])
        return lambda: function(*xs)

    return make


def eager(ns: Namespace) -> Callable[[], Any]:
    """A sum without jit."""
    x = spread(ns, 64, "x", "y")
    return lambda: x + x


def put(ns: Namespace) -> Callable[[], Any]:
    """A million elements from the host."""
    host = numpy.ones((1000, 1000), numpy.float32)
    where = sharding(ns, "x", "y")
    return lambda: ns.wait(ns.top.device_put(host, where))


def put_few(ns: Namespace) -> Callable[[], Any]:
    """A batch of a few numbers from the host."""
    host = numpy.ones((8, 8), numpy.float32)
    where = sharding(ns, "x", "y")
    return lambda: ns.wait(ns.top.device_put(host, where))


def mapped(total: bool) -> Callable[[Namespace], Callable[[], Any]]:
    """A jitted shard_map: each device works by itself, or all of them sum."""

    def make(ns: Namespace) -> Callable[[], Any]:
        x, spec = spread(ns, 8, "x", "y"), ns.top.sharding.PartitionSpec("x", "y")
        sums = ns.top.sharding.PartitionSpec() if total else spec
        function = ns.jit(
            ns.top.shard_map(
                lambda x: ns.top.lax.psum(x, ("x", "y")) if total else 2 * x,
                mesh=sharding(ns).mesh,
                in_specs=spec,
                out_specs=sums,
            )
        )
        return lambda: ns.wait(function(x))

    return make


def resharded(ns: Namespace) -> Callable[[], Any]:
    """A million elements from rows to columns."""
    x = spread(ns, 1024, "x")
    where = sharding(ns, None, "x")
    return lambda: ns.wait(ns.top.device_put(x, where))


def read(ns: Namespace) -> Callable[[], Any]:
    """A million elements, computed, to the host."""
    x = spread(ns, 1024, "x", "y")
    function = ns.jit(lambda x: x + 1)
    return lambda: numpy.asarray(function(x))


def product(ns: Namespace) -> Callable[[], Any]:
    """A product of matrices, one divided by rows and one by columns."""
    x, y = spread(ns, 512, "x"), spread(ns, 512, None, "y")
    function = ns.jit(lambda x, y: x @ y)
    return lambda: function(x, y)


CASES: Final = [
    Case("jit call, 1 argument over 8 devices", jitted(1), budget=Budget(jax=1.1)),
    Case("jit call, 10 arguments over 8 devices", jitted(10), budget=Budget(jax=1.1)),
    Case("x + x over 8 devices, eager", eager, budget=Budget(jax=1.1)),
    Case("device_put of 1e6 elements over 8 devices", put, budget=Budget(jax=1.1)),
    Case("device_put of 64 elements over 8 devices", put_few, budget=Budget(jax=1.1)),
    Case("jitted shard_map over 8 devices", mapped(total=False), budget=Budget(jax=1.1)),
    Case("all-reduce in a shard_map over 8 devices", mapped(total=True), budget=Budget(jax=1.1)),
    Case("1e6 elements from rows to columns", resharded, budget=Budget(jax=1.1)),
    Case("1e6 elements read from 8 devices", read, budget=Budget(jax=1.1)),
    Case("matrix product over 8 devices", product, budget=Budget(jax=1.1)),
]
