"""Functions whose user says how they are partitioned give what the plain functions give, on eight devices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import errors, export, lax
from treadle.experimental.custom_partitioning import (
    BATCHING,
    ArrayMapping,
    CompoundFactor,
    SdyShardingRule,
    custom_partitioning,
)
from treadle.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

X: Final = np.sin(np.arange(32, dtype=np.float32)).reshape(8, 4)
Seen = list[tuple[Any, ...]]


@functools.cache
def grid() -> Mesh:
    """Four by two devices."""
    return treadle.make_mesh((4, 2), ("x", "y"), (AxisType.Auto,) * 2)


def sharded() -> treadle.Array:
    """X, divided along both axes."""
    return treadle.device_put(X, NamedSharding(grid(), P("x", "y")))


def close(found: Any, expected: Any) -> None:
    """Two arrays are equal, up to the order of sums. Any: arrays."""
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-5, atol=1e-5)


def specs(shapes: Any) -> Any:
    """Return the specs of the arrays that `partition` receives."""
    return treadle.tree.map(lambda x: x.sharding.spec, shapes)


def keeping_shardings(seen: Seen, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `partition` function that leaves all shardings as they are, and records its arguments."""

    def partition(mesh: Any, arguments: Any, result: Any) -> Any:
        seen.append((specs(arguments), specs(result)))
        both = treadle.tree.map(lambda x: x.sharding, (result, arguments))
        return mesh, function, *both

    return partition


def sines(seen: Seen, rule: Any = "i j -> i j", **more: Any) -> custom_partitioning:
    """Sines of each element."""
    function = custom_partitioning(tnp.sin)
    function.def_partition(keeping_shardings(seen, tnp.sin), sharding_rule=rule, **more)
    return function


def sums(seen: Seen) -> custom_partitioning:
    """Sums of rows, which devices add up."""
    function = custom_partitioning(lambda x: x.sum(1))

    def partition(mesh: Any, arguments: Any, result: Any) -> Any:
        (x,) = arguments
        seen.append((specs(arguments), specs(result)))
        across = x.sharding.spec[1] if len(x.sharding.spec) > 1 else None

        def reduced(part: Any) -> Any:
            return lax.psum(part.sum(1), across) if across else part.sum(1)

        return mesh, reduced, NamedSharding(mesh, P(x.sharding.spec[0])), (x.sharding,)

    function.def_partition(partition, sharding_rule="i j -> i", reduction_factors=("j",))
    return function


def elementwise() -> None:
    """`partition` is called once for each program, with shardings; without jit the values are the same."""
    seen: Seen = []
    function = sines(seen)
    jitted = treadle.jit(lambda x: function(x) + 1)
    close(jitted(sharded()), np.sin(X) + 1)
    close(jitted(sharded()), np.sin(X) + 1)
    assert seen == [((P("x", "y"),), P("x", "y"))]
    close(function(sharded()), np.sin(X))
    compiled = jitted.lower(sharded()).compile()
    assert not compiled.collectives()


def reduced() -> None:
    """A collective of the function of one device stays, and is the only one."""
    seen: Seen = []
    function = sums(seen)
    close(treadle.jit(function)(sharded()), X.sum(1))
    assert seen == [((P("x", "y"),), P("x"))]
    (found,) = treadle.jit(function).lower(sharded()).compile().collectives()
    assert found.operation == "all-reduce"
    assert {frozenset(each) for each in found.groups} == {
        frozenset({2 * number, 2 * number + 1}) for number in range(4)
    }


def asked_otherwise() -> None:
    """Arguments have the shardings that `partition` returns: its function sees the device's position."""
    function = custom_partitioning(lambda x: x)
    seen: list[Any] = []

    def partition(mesh: Any, arguments: Any, result: Any) -> Any:
        rows = NamedSharding(mesh, P(None, "x"))

        def places(part: Any) -> Any:
            seen.append(part.shape)
            return part + 10.0 * lax.axis_index("x")

        return mesh, places, rows, (rows,)

    function.def_partition(partition, sharding_rule="i j -> i j")
    close(treadle.jit(function)(sharded()), X + 10 * np.arange(4))
    assert seen == [(8, 1)]


def closed_over() -> None:
    """The function of one device may have arrays of its own: they are written into its program."""
    ten, one = tnp.full((2, 2), 10.0), np.ones((2, 2), np.float32)
    function = custom_partitioning(lambda x: x + 11)
    function.def_partition(
        keeping_shardings([], lambda part: part + ten + one), sharding_rule="i j -> i j"
    )
    close(treadle.jit(function)(sharded()), X + 11)


def of_other_elements() -> None:
    """Random keys, narrow integers and truth values are divided like numbers."""
    keys = treadle.random.split(treadle.random.key(0), 8)
    rows = NamedSharding(grid(), P("x"))
    for x in (keys, tnp.arange(8).astype(tnp.int4), tnp.arange(8) > 3):
        seen: Seen = []
        function = custom_partitioning(lambda x: x[::1])
        function.def_partition(keeping_shardings(seen, lambda part: part), sharding_rule="i -> i")
        found = treadle.jit(function)(treadle.device_put(x, rows))
        assert tnp.array_equal(found, x)
        assert seen == [((P("x"),), P("x"))]


def told_apart() -> None:
    """Functions of equal programs, which are partitioned in other ways: each is asked itself, also in one program."""

    def scaled(scale: float) -> custom_partitioning:
        function = custom_partitioning(lambda x: x * 1)
        function.def_partition(
            keeping_shardings([], lambda part: part * scale), sharding_rule="... -> ..."
        )
        return function

    twice, thrice = scaled(2), scaled(3)
    close(treadle.jit(twice)(sharded()), 2 * X)
    close(treadle.jit(thrice)(sharded()), 3 * X)
    close(treadle.jit(lambda x: twice(thrice(x)))(sharded()), 6 * X)


def over_explicit_axes() -> None:
    """Types show the shardings of results, as for the function itself."""
    over = treadle.make_mesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)
    x = treadle.device_put(X, NamedSharding(over, P("x", "y")))
    seen: Seen = []
    function = sines(seen)

    def typed(x: Any) -> Any:
        y = function(x)
        kind: Any = treadle.typeof(y)  # of an array
        assert kind.sharding.spec == P("x", "y")
        return y

    found = treadle.jit(typed)(x)
    close(found, np.sin(X))
    assert found.sharding == x.sharding
    assert seen == [((P("x", "y"),), P("x", "y"))]


def trees_and_statics() -> None:
    """Arguments and results are trees; static arguments come first, by position or by name."""
    seen: list[Any] = []

    def plain(x: Any, n: int, y: Any) -> Any:
        return {"scaled": x * n + y["a"], "whole": x}

    def partition(n: int, mesh: Any, arguments: Any, result: Any) -> Any:
        seen.append((n, specs(arguments), specs(result)))
        both = treadle.tree.map(lambda x: x.sharding, (result, arguments))
        return None, lambda x, y: plain(x, n, y), *both

    function = custom_partitioning(plain, static_argnums=(1,))
    function.def_partition(partition, sharding_rule=lambda n, *_: "i j, i j -> i j, i j")
    every = P("x", "y")
    told = (3, (every, {"a": every}), {"scaled": every, "whole": every})
    for call in (lambda x: function(x, 3, {"a": x}), lambda x: function(x, y={"a": x}, n=3)):
        found = treadle.jit(call)(sharded())
        close(found["scaled"], X * 3 + X)
        close(found["whole"], X)
        assert seen.pop() == told
        assert not seen


def rules() -> None:
    """The attribute that XLA gets of a rule, in words and as an object."""

    def written(rule: Any, **more: Any) -> str:
        text = treadle.jit(sines([], rule, **more)).lower(sharded()).as_text()
        return str(text.split("op_sharding_rule")[1].split("}>")[0].split(", custom")[0])

    compound = CompoundFactor("i", "k")
    row = ArrayMapping(BATCHING, "j")
    split = ArrayMapping(compound, "j")
    expected: dict[str, str] = {
        written("i j->i j"): "<([i, j])->([i, j]) {i=8, j=4}",
        written("...j -> ... j"): "<([i, j])->([i, j]) {i=8, j=4}",
        written("(i k) j -> (i k) j", i=4, k=2): "<([ij, k])->([ij, k]) {i=4, j=2, k=4}",
        written("i j -> i j", need_replication_factors=("j",), permutation_factors=("i",)): (
            "<([i, j])->([i, j]) {i=8, j=4} need_replication={j} permutation={i}"
        ),
        written("i j -> i k"): "<([i, j])->([i, k]) {i=8, j=4, k=4}",
        written("i j -> j i"): "<([i, j])->([j, i]) {i=4, j=4}",
        written(SdyShardingRule((row,), (row,))): "<([i, j])->([i, j]) {i=8, j=4}",
        written(SdyShardingRule((split,), (split,), i=2, k=4)): (
            "<([ij, k])->([ij, k]) {i=2, j=4, k=4}"
        ),
    }
    for found, wanted in expected.items():
        assert found == wanted


def kept_whole() -> None:
    """A factor that needs replication is not sharded: the argument's axis is gathered first."""
    seen: Seen = []
    function = custom_partitioning(lambda x: tnp.cumsum(x, 1))
    function.def_partition(
        keeping_shardings(seen, lambda x: tnp.cumsum(x, 1)),
        sharding_rule="... j -> ... j",
        need_replication_factors=("j",),
    )
    rows = NamedSharding(grid(), P("x"))
    close(treadle.jit(function, in_shardings=rows)(X), np.cumsum(X, 1))
    assert seen == [((P("x"),), P("x"))]


def transformed() -> None:
    """Derivatives and batches are the function's; in loops and branches it is asked like anywhere."""
    seen: Seen = []
    function = sines(seen)
    close(treadle.jit(treadle.grad(lambda x: function(x).sum()))(sharded()), np.cos(X))
    close(treadle.grad(lambda x: function(x).sum())(sharded()), np.cos(X))
    close(treadle.jvp(function, (sharded(),), (sharded(),))[1], np.cos(X) * X)
    close(treadle.jit(treadle.vmap(sines([], "i -> i")))(sharded()), np.sin(X))
    seen.clear()
    looped = treadle.jit(lambda x: lax.scan(lambda c, _: (function(c), None), x, None, length=2)[0])
    close(looped(sharded()), np.sin(np.sin(X)))
    assert seen == [((P("x", "y"),), P("x", "y"))]


def in_shard_map() -> None:
    """Within shard_map a device has its part already: the function is in place."""
    seen: Seen = []
    mapped = treadle.shard_map(
        sines(seen), mesh=grid(), in_specs=P("x", "y"), out_specs=P("x", "y")
    )
    close(treadle.jit(mapped)(sharded()), np.sin(X))
    assert not seen


def on_one_device() -> None:
    """No user function is called, not even for a rule."""
    seen: Seen = []
    function = sines(seen, None)
    close(treadle.jit(function)(X), np.sin(X))
    close(function(X), np.sin(X))
    assert not seen


def refused() -> None:
    """An answer that does not fit raises an error of its own kind, which names its subject."""

    def answering(answer: Callable[[Any, Any, Any], Any]) -> custom_partitioning:
        function = custom_partitioning(tnp.sin)

        def partition(mesh: Any, arguments: Any, result: Any) -> Any:
            return answer(mesh, treadle.tree.map(lambda x: x.sharding, arguments), result.sharding)

        function.def_partition(partition, sharding_rule="i j -> i j")
        return function

    def failing(*given: Any) -> Any:
        raise ZeroDivisionError("the user's own")

    other = treadle.make_mesh((2,), ("z",), (AxisType.Auto,))
    reverse = NamedSharding(Mesh(grid().devices[::-1], ("x", "y")), P("x", "y"))
    cases: list[tuple[Any, type[Exception], str]] = [
        (sines([], None), errors.UnsupportedError, "has no sharding rule"),
        (sines([], "i -> i"), errors.ShardingError, "argument 0 has 1 axes, but it is f32"),
        (sines([], "i j -> i"), errors.ShardingError, "result 0 has 1 axes"),
        (sines([], "i j, i -> i j"), errors.ShardingError, "has 2 arguments"),
        (sines([], "(i k) j -> (i k) j", i=4, k=3), errors.ShapeError, r"sizes \(4, 3\)"),
        (sines([], lambda *_: 3), errors.ArgumentError, "has returned 3"),
        (answering(failing), ZeroDivisionError, "the user's own"),
        (answering(lambda m, a, r: (m, tnp.sin)), errors.ArgumentError, "must return .mesh, low"),
        (answering(lambda m, a, r: (m, 3, r, a)), errors.ArgumentError, "lower_fn must be"),
        (answering(lambda m, a, r: (m, tnp.sin, r, ())), errors.TreeError, "arg_shardings"),
        (answering(lambda m, a, r: (m, tnp.sin, P("x"), a)), errors.ArgumentError, "NamedSharding"),
        (answering(lambda m, a, r: (other, tnp.sin, r, a)), errors.ShardingError, "the mesh"),
        (
            answering(lambda m, a, r: (m, tnp.sin, NamedSharding(other, P("z")), a)),
            errors.ShardingError,
            "different devices",
        ),
        (
            answering(lambda m, a, r: (m, tnp.sin, reverse, a)),
            errors.ShardingError,
            "another order",
        ),
        (
            answering(lambda m, a, r: (m, lambda x: x[:1], r, a)),
            errors.ShardingError,
            r"result 0 of lower_fn of sin is f32\[1,2\]",
        ),
        (
            answering(lambda m, a, r: (m, lambda x: [x], r, a)),
            errors.ArgumentError,
            "lower_fn of sin returns",
        ),
    ]
    for function, kind, message in cases:
        with pytest.raises(kind, match=message):
            treadle.jit(function)(sharded())
    close(treadle.jit(sines([]))(sharded()), np.sin(X))  # after all of these


def exported() -> None:
    """A function over several devices is not exported; one for a single device is, as it is."""
    rows = NamedSharding(grid(), P("x"))
    shape = treadle.ShapeDtypeStruct(X.shape, X.dtype)
    with pytest.raises(errors.UnsupportedError, match="custom_partitioning"):
        export.export(treadle.jit(sines([]), in_shardings=rows))(shape)
    single = export.export(treadle.jit(sines([])))(shape)
    close(export.deserialize(single.serialize()).call(X), np.sin(X))


LAWS: Final = {
    law.__name__: law
    for law in (
        elementwise,
        reduced,
        asked_otherwise,
        closed_over,
        told_apart,
        over_explicit_axes,
        of_other_elements,
        trees_and_statics,
        rules,
        kept_whole,
        transformed,
        in_shard_map,
        on_one_device,
        refused,
        exported,
    )
}
