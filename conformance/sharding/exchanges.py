"""What programs over eight devices report: the requested and the actual exchanges, and shardings.

The groups of a collective along axes of a mesh are the devices that differ in nothing but their places on these axes:
NumPy says which, from the grid of the mesh.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any, Final

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P
from treadle_ir.analysis import Exchange, distributions

AXES: Final = ("a", "b", "c")
BYTES: Final = 8 * 4  # eight float32 on each device


def grid(order: tuple[int, ...]) -> Mesh:
    """Two by two by two devices, the axes of the machine in another order."""
    devices = np.array(treadle.devices()).reshape(2, 2, 2).transpose(order)
    return Mesh(devices, AXES)


def along(names: tuple[str, ...]) -> set[frozenset[int]]:
    """The groups along axes, as places in the order of the mesh."""
    places = np.arange(8).reshape(2, 2, 2)
    wanted = [AXES.index(name) for name in names]
    rest = [axis for axis in range(3) if axis not in wanted]
    rows = places.transpose([*rest, *wanted]).reshape(-1, 2 ** len(names))
    return {frozenset(int(number) for number in row) for row in rows}


def compiled(function: Any, mesh: Mesh) -> list[Any]:
    """The exchanges of a function of each device's eight elements."""
    mapped = treadle.shard_map(
        function, mesh=mesh, in_specs=P(AXES), out_specs=P(AXES), check_vma=False
    )
    found: list[Any] = treadle.jit(mapped).lower(np.ones(64, np.float32)).compile().collectives()
    return found


def foretold(function: Any, mesh: Mesh) -> tuple[Exchange, ...]:
    """The same, known from the program before it is compiled."""
    mapped = treadle.shard_map(
        function, mesh=mesh, in_specs=P(AXES), out_specs=P(AXES), check_vma=False
    )
    (found,) = distributions(treadle.make_jaxpr(mapped)(np.ones(64, np.float32)).program)
    return found.exchanges


def asked(names: tuple[str, ...], order: tuple[int, ...]) -> None:
    """A collective of each kind that a shard_map asks for is there, among the devices it was asked for."""
    size, (name, *more) = 2 ** len(names), names
    kinds: dict[str, tuple[Any, float]] = {
        "all-reduce": (lambda x: lax.psum(x, names), 2 * BYTES * (size - 1) / size),
    }
    if not more:
        kinds |= {
            "all-gather": (lambda x: lax.all_gather(x, name).sum(0), BYTES),
            "reduce-scatter": (
                lambda x: tnp.tile(lax.psum_scatter(x, name, tiled=True), 2),
                BYTES / 2,
            ),
            "all-to-all": (lambda x: lax.all_to_all(x, name, 0, 0, tiled=True), BYTES / 2),
        }
    for operation, (function, sent) in kinds.items():
        (found,) = compiled(function, grid(order))
        assert found.operation == operation, found
        assert {frozenset(group) for group in found.groups} == along(names), found
        assert (found.bytes_sent, found.times) == (sent, 1), found
        (foreseen,) = foretold(function, grid(order))
        assert (foreseen.devices, foreseen.sent, foreseen.times) == (size, sent, 1), foreseen


def permuted() -> None:
    """The pairs of a permutation are those that were asked for, in each row of the mesh."""
    (found,) = compiled(lambda x: lax.ppermute(x, "b", [(0, 1)]), grid((0, 1, 2)))
    assert set(found.groups) == {(0, 2), (1, 3), (4, 6), (5, 7)}, found
    assert found.bytes_sent == BYTES


def counted() -> None:
    """An exchange in a loop is counted as often as the loop's body runs, in loops in loops, too."""

    def loops(x: Any) -> Any:
        def inner(x: Any, _: Any) -> Any:
            return lax.psum(x, "a") / 2, None

        def outer(x: Any, _: Any) -> Any:
            return lax.scan(inner, x, None, length=3)[0], None

        return lax.scan(outer, x, None, length=5)[0]

    (found,) = compiled(loops, grid((0, 1, 2)))
    assert found.times == 15, found
    (foreseen,) = foretold(loops, grid((0, 1, 2)))
    assert (foreseen.times, foreseen.exact) == (15, True), foreseen
    (found,) = compiled(
        lambda x: lax.while_loop(lambda x: x[0] < 100, lambda x: lax.psum(x, "a"), x),
        grid((0, 1, 2)),
    )
    assert found.times is None, found


def partitioned() -> None:
    """A program that does not mention devices: a sum over a sharded axis, by rows, by columns, by both."""
    mesh = treadle.make_mesh((4, 2), ("rows", "columns"), (AxisType.Auto,) * 2)
    groups = {
        P("rows"): {frozenset(range(start, 8, 2)) for start in range(2)},
        P(None, "columns"): set(),
        P("rows", "columns"): {frozenset(range(start, 8, 2)) for start in range(2)},
        P(("rows", "columns")): {frozenset(range(8))},
    }
    for spec, expected in groups.items():
        x = treadle.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, spec))
        result = NamedSharding(mesh, P(*spec[1:]))
        sums = treadle.jit(lambda x: x.sum(0), out_shardings=result).lower(x).compile()
        found = sums.collectives()
        assert {frozenset(group) for each in found for group in each.groups} == expected, spec
        assert all(each.operation == "all-reduce" for each in found)


def inspected() -> None:
    """An array within a program whose sharding no axis of the mesh describes: halves and quarters of eight devices."""
    seen: list[Any] = []

    def folded(x: Any) -> Any:
        y = x.reshape(2, 4, 3) * 2
        treadle.debug.inspect_array_sharding(y, callback=seen.append)
        return y.reshape(8, 3)

    row = NamedSharding(treadle.make_mesh((8,), ("i",), (AxisType.Auto,)), P("i"))
    treadle.jit(folded)(treadle.device_put(np.ones((8, 3), np.float32), row))
    (found,) = seen
    parts = found.devices_indices_map((2, 4, 3))
    for number, device in enumerate(row.devices):
        assert [each.start for each in parts[device][:2]] == [number // 4, number % 4], found


def transformed() -> None:
    """The callback sees the array under derivatives and loops, the batch under vmap, the shard under shard_map."""
    seen: list[Any] = []
    mesh = treadle.make_mesh((4, 2), ("a", "b"), (AxisType.Auto,) * 2)
    x = treadle.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, P("a", "b")))

    def looked(x: Any) -> Any:
        treadle.debug.inspect_array_sharding(x, callback=seen.append)
        return x * x

    def looped(x: Any) -> Any:
        return lax.scan(lambda x, _: (looked(x), None), x, None, length=3)[0]

    mapped = treadle.shard_map(looked, mesh=mesh, in_specs=P("a"), out_specs=P("a"))
    expected: dict[Any, P] = {
        treadle.jit(treadle.grad(lambda x: looked(x).sum())): P("a", "b"),
        treadle.grad(lambda x: looked(x).sum()): P("a", "b"),
        treadle.jit(treadle.vmap(looked)): P("a", "b"),
        treadle.vmap(looked): P("a", "b"),
        treadle.jit(looped): P("a", "b"),
        treadle.jit(treadle.checkpoint(looked)): P("a", "b"),
        treadle.jit(mapped): P(),
    }
    for function, spec in expected.items():
        seen.clear()
        function(x)
        assert [each.spec for each in seen] == [spec], (spec, seen)


LAWS: Final = {
    **{
        f"asked-{''.join(names)}-{''.join(map(str, order))}": functools.partial(asked, names, order)
        for count in (1, 2, 3)
        for names in itertools.combinations(AXES, count)
        for order in ((0, 1, 2), (2, 0, 1))
    },
    "permuted": permuted,
    "counted": counted,
    "partitioned": partitioned,
    "inspected": inspected,
    "transformed": transformed,
}
