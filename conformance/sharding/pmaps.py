"""pmap over eight devices equals vmap: every program of the pool, every collective, and their derivatives.

Other properties of pmap are tested here, too: the shardings of its results, what it donates, which devices it takes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.programs_pool import POOL, Pooled
from conformance.sharding.maps import COLLECTIVES, N, X, stacked
from conformance.sharding.pool import same, total
from treadle import errors, lax, random
from treadle.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P
from treadle_ir.settings import X64

Tree: TypeAlias = Any  # a pytree of arrays
ROWS: Final = np.arange(24, dtype=np.float32).reshape(8, 3) / 10


def equal(program: Callable[..., Tree], arguments: tuple[Tree, ...], way: str) -> None:
    """One law for one program of one element."""
    with X64.override(True):
        args = stacked(arguments)
        ours, theirs = (
            treadle.pmap(program, axis_name="i"),
            treadle.jit(treadle.vmap(program, axis_name="i")),
        )
        if way == "value":
            same(ours(*args), theirs(*args))
        elif way == "jvp":
            same(treadle.jvp(ours, args, args), treadle.jvp(theirs, args, args))
        elif way == "vmap":
            twice = treadle.tree.map(lambda x: tnp.stack([x, x * 1.01], 1), args)
            same(treadle.vmap(ours, 1)(*twice), treadle.vmap(theirs, 1)(*twice))
        elif way == "inside":  # each element's own gradient
            numbers = tuple(range(len(args)))
            inner = treadle.grad(total(program), numbers)
            same(treadle.pmap(inner, "i")(*args), treadle.vmap(inner, axis_name="i")(*args))
        else:
            numbers = tuple(range(len(args)))
            of_ours, of_theirs = [treadle.grad(total(f), numbers) for f in (ours, theirs)]
            if way == "second":
                of_ours, of_theirs = [treadle.grad(total(f), numbers) for f in (of_ours, of_theirs)]
            same(treadle.jit(of_ours)(*args), treadle.jit(of_theirs)(*args))


def _pooled(pooled: Pooled, way: str) -> None:
    equal(pooled.program, pooled.arguments, way)


OTHERS: Final[dict[str, Callable[[], None]]] = {}


def law(check: Callable[[], None]) -> Callable[[], None]:
    """Put a check into the table."""
    OTHERS[check.__name__] = check
    return check


@law
def results_are_sharded_over_the_devices() -> None:
    x = treadle.pmap(lambda x: x * 2, "i")(ROWS)
    assert x.sharding.spec == P("i")
    assert [shard.device for shard in x.addressable_shards] == treadle.devices()
    assert [shard.data.shape for shard in x.addressable_shards] == [(1, 3)] * N
    first, second, third = treadle.pmap(
        lambda x: (x, x, lax.pmean(x, "i")), "i", out_axes=(1, -2, None)
    )(x)
    assert first.sharding.spec == P(None, "i")
    assert second.sharding.spec == P("i")
    assert third.sharding.is_fully_replicated
    np.testing.assert_array_equal(first, 2 * ROWS.T)
    np.testing.assert_array_equal(second, 2 * ROWS)
    np.testing.assert_allclose(third, 2 * ROWS.mean(0), rtol=1e-6)


@law
def the_first_of_results_that_differ_is_taken() -> None:
    found = treadle.pmap(lambda x: x, out_axes=None)(ROWS)
    np.testing.assert_array_equal(found, ROWS[0])


@law
def axes_of_trees() -> None:
    tree = {"rows": ROWS.T, "shared": np.float32(3), "other": ROWS}
    axes = {"rows": 1, "shared": None, "other": -2}
    for wrap in (lambda f: f, treadle.jit):
        found = wrap(
            treadle.pmap(
                lambda d, k, *, y: d["rows"] * d["shared"] + d["other"] + k + y,
                in_axes=(axes, None),
            )
        )(tree, 1.0, y=ROWS)
        np.testing.assert_allclose(found, 5 * ROWS + 1, rtol=1e-6)


@law
def devices_are_chosen() -> None:
    turned = treadle.devices()[::-1]
    found = treadle.pmap(lambda x: x + lax.axis_index("i"), "i", devices=turned)(ROWS[:5])
    assert [*found.sharding.mesh.flat] == turned[:5]
    np.testing.assert_allclose(found, ROWS[:5] + np.arange(5)[:, None], rtol=1e-6)
    again = treadle.pmap(lambda x: x * 2, "i", backend="cpu")(found)  # brought to the others
    assert [*again.sharding.mesh.flat] == treadle.devices()[:5]
    np.testing.assert_array_equal(again, 2 * np.asarray(found))


@law
def arrays_come_from_anywhere() -> None:
    grid = treadle.make_mesh((4, 2), ("x", "y"), (AxisType.Auto,) * 2)
    for x in (
        ROWS,
        treadle.device_put(ROWS, treadle.devices()[3]),
        treadle.device_put(ROWS, NamedSharding(grid, P("y"))),
        tnp.asarray(ROWS),
    ):
        found = treadle.pmap(lambda x: x + lax.psum(x, "i"), "i")(x)
        np.testing.assert_allclose(found, ROWS + ROWS.sum(0), rtol=1e-6)
        assert found.sharding.spec == P("i")


@law
def keys_are_elements() -> None:
    keys = random.split(random.key(3), N)
    draw = lambda key: random.bits(random.split(key)[1], (4,))  # noqa: E731
    np.testing.assert_array_equal(treadle.pmap(draw)(keys), treadle.vmap(draw)(keys))
    again = treadle.pmap(lambda key: random.fold_in(key, lax.axis_index("i")), "i")(keys)
    expected = treadle.vmap(random.fold_in)(keys, np.arange(N))
    np.testing.assert_array_equal(random.key_data(again), random.key_data(expected))


@law
def arguments_by_position_with_this_sharding_are_donated() -> None:  # DON-07, DON-09
    @functools.partial(treadle.pmap, donate_argnums=(0, 1))
    def step(params: Any, state: Any) -> Any:
        return {k: v + 1 for k, v in params.items()}, state * 2

    fresh = {"w": tnp.asarray(ROWS), "b": tnp.zeros(N)}
    params, state = step(fresh, tnp.ones((N, 2)))
    assert not any(leaf.is_deleted() for leaf in fresh.values())
    old = [*params.values(), state]
    params, state = step(params, state)
    assert all(leaf.is_deleted() for leaf in old)
    np.testing.assert_array_equal(params["w"], ROWS + 2)
    np.testing.assert_array_equal(state, np.full((N, 2), 4))
    step(params=params, state=state)
    assert not any(leaf.is_deleted() for leaf in [*params.values(), state])


@law
def static_arguments_are_python_values() -> None:  # VAL-07
    seen: list[Any] = []

    def f(n: Any, x: Any, s: Any) -> Any:
        seen.append((n, s))
        return x * n

    g = treadle.pmap(f, static_broadcasted_argnums=(0, 2), in_axes=(None, 0, None))
    for n in (3, 3, 4):
        np.testing.assert_array_equal(g(n, ROWS, "a"), n * ROWS)
    assert seen == [(3, "a"), (4, "a")]
    with pytest.raises(errors.ArgumentError, match="called with only 2 positional arguments"):
        g(3, ROWS, s="a")


@law
def the_function_is_run_once() -> None:  # GRD-30
    log: list[Any] = []

    def f(x: Any) -> Any:
        log.append("traced")
        return x + 1

    g = treadle.pmap(f)
    x = g(ROWS)
    for _ in range(3):
        x = g(x)
    np.testing.assert_allclose(x, ROWS + 4, rtol=1e-6)
    assert len(log) == 1


@law
def compiled_ahead_of_time() -> None:
    f = treadle.pmap(lambda x, y: x * y, in_axes=(1, None), out_axes=1)
    struct = treadle.ShapeDtypeStruct((3, N), np.float32)
    for x in (ROWS.T, struct):
        found = f.lower(x, np.float32(2)).compile()(ROWS.T, np.float32(2))
        np.testing.assert_array_equal(found, 2 * ROWS.T)
        assert found.sharding.spec == P(None, "_pmap")


@law
def what_it_closes_over() -> None:
    by = tnp.asarray([1.0, 2.0, 3.0])
    loss = lambda by: treadle.pmap(lambda x: tnp.sin(x * by).sum())(ROWS).sum()  # noqa: E731
    expected = (np.cos(ROWS * np.asarray(by)) * ROWS).sum(0)
    np.testing.assert_allclose(treadle.grad(loss)(by), expected, rtol=1e-5)
    np.testing.assert_allclose(treadle.jit(treadle.grad(loss))(by), expected, rtol=1e-5)
    whole = treadle.vmap(lambda by: treadle.pmap(lambda x: x * by)(ROWS))(tnp.stack([by, 2 * by]))
    np.testing.assert_allclose(whole, [ROWS * np.asarray(by), 2 * ROWS * np.asarray(by)], rtol=1e-6)


@law
def within_another_each_device_runs_all_elements() -> None:
    cube = np.arange(96, dtype=np.float32).reshape(8, 12, 1)  # twelve, and only eight devices
    inner = treadle.pmap(lambda x: x + lax.psum(x, ("i", "j")) * lax.axis_index("j"), "j")
    found = treadle.pmap(inner, "i")(cube)
    expected = cube + cube.sum((0, 1)) * np.arange(12)[:, None]
    np.testing.assert_array_equal(found, expected)
    over = Mesh(np.array(treadle.devices()), ("i",))
    by_hand = treadle.shard_map(
        lambda part: inner(part[0])[None], mesh=over, in_specs=P("i"), out_specs=P("i")
    )
    np.testing.assert_array_equal(by_hand(cube), expected)


@law
def more_elements_than_devices_are_refused() -> None:
    nine = np.ones((3, 9), np.float32)
    for call in (
        lambda: treadle.pmap(lambda x: x, in_axes=1)(nine),
        lambda: treadle.pmap(lambda d: d["a"], in_axes=({"a": 1, "b": None},))({"a": nine, "b": 1}),
        lambda: treadle.jit(treadle.pmap(lambda x: x, in_axes=1))(nine),
        lambda: treadle.pmap(lambda x: x, devices=treadle.devices()[:2])(nine),
        lambda: treadle.pmap(lambda x: x, in_axes=1).lower(nine),
    ):
        with pytest.raises(errors.PlacementError, match=r"requires [39] logical devices"):
            call()


@law
def groups_may_have_unequal_sizes() -> None:
    groups = [[1], [0, 7, 2], [6, 5, 4, 3]]

    def each(function: Any, x: Any) -> Any:
        return function(x, "i", axis_index_groups=groups)

    def f(x: Any) -> Any:
        return each(lax.psum, x), each(lax.pmean, x), each(lax.pmax, x)

    expected = [np.empty_like(ROWS) for _ in range(3)]
    for group in groups:
        rows = ROWS[group]
        for each_expected, among in zip(
            expected, (rows.sum(0), rows.mean(0), rows.max(0)), strict=True
        ):
            each_expected[group] = among
    for found, whole in zip(treadle.pmap(f, "i")(ROWS), expected, strict=True):
        np.testing.assert_allclose(found, whole, rtol=1e-6)
    weights = np.arange(24, dtype=np.float32).reshape(8, 3)
    sums = treadle.pmap(functools.partial(each, lax.psum), "i")
    loss = lambda x: (sums(x) * weights).sum()  # noqa: E731
    for group in groups:
        expected[0][group] = weights[group].sum(0)
    np.testing.assert_allclose(treadle.grad(loss)(tnp.asarray(ROWS)), expected[0], rtol=1e-6)


@law
def groups_along_one_of_two_axes_and_along_both() -> None:
    grid = treadle.make_mesh((2, 4), ("x", "y"), (AxisType.Auto,) * 2)
    part = np.arange(8, dtype=np.float32).reshape(2, 4)

    def over(axes: Any, groups: Any) -> Any:
        return treadle.shard_map(
            lambda x: lax.psum(x, axes, axis_index_groups=groups),
            mesh=grid,
            in_specs=P("x", "y"),
            out_specs=P("x", "y"),
        )(part)

    np.testing.assert_array_equal(over("y", [[0, 3], [1, 2]]), [[3] * 4, [11] * 4])
    halves = [[0, 1, 2, 3], [4, 5, 6, 7]]
    np.testing.assert_array_equal(over(("x", "y"), halves), [[6] * 4, [22] * 4])
    columns = [[0, 1], [2, 3], [4, 5], [6, 7]]
    np.testing.assert_array_equal(over(("y", "x"), columns), [part.sum(0)] * 2)


@law
def loops() -> None:
    step = treadle.pmap(lambda x: x + lax.pmean(x, "i"), "i")
    found = lax.scan(lambda c, _: (step(c), None), tnp.asarray(ROWS), None, length=3)[0]
    expected = ROWS
    for _ in range(3):
        expected = expected + expected.mean(0)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    with treadle.disable_jit():
        np.testing.assert_allclose(step(ROWS), ROWS + ROWS.mean(0), rtol=1e-6)


@law
def threads() -> None:
    step = treadle.pmap(lambda x: x + lax.pmean(x, "i"), "i")
    with ThreadPoolExecutor(4) as workers:
        found = {*workers.map(lambda n: float(step(ROWS * (n % 2)).sum()), range(32))}
    assert len(found) == 2


LAWS: Final = {
    **{
        f"{name}-{way}": functools.partial(equal, program, (X,), way)
        for name, program in COLLECTIVES.items()
        for way in ("value", "jvp", "vmap", "grad", "second", "inside")
    },
    **{
        f"{pooled.name}-{way}": functools.partial(_pooled, pooled, way)
        for pooled in POOL.values()
        for way in ("value", "grad")
        if way == "value" or pooled.reverse
    },
    **OTHERS,
}
