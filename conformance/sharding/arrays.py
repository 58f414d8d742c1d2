"""What is done with an array over a mesh of eight devices gives what it gives with the array itself."""

from __future__ import annotations

import copy
import functools
import itertools
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance import test_linear_growth as growth
from conformance.sharding.table import table
from treadle import errors, lax, nn, random
from treadle.sharding import (
    AxisType,
    Mesh,
    NamedSharding,
    PartitionSpec as P,
    SingleDeviceSharding,
    get_mesh,
)
from treadle_ir.events import Event, ProgramCompiled, listening

H: Final = np.arange(32, dtype=np.float32).reshape(8, 4)


@functools.cache
def mesh() -> Mesh:
    """Eight devices in four rows."""
    return treadle.make_mesh((4, 2), ("x", "y"), (AxisType.Auto,) * 2)


LAWS, law = table(mesh)  # which takes eight devices


def over(*spec: Any) -> NamedSharding:
    """A sharding over the mesh. Any: entries of a specification."""
    return NamedSharding(mesh(), P(*spec))


def shardings() -> list[NamedSharding]:
    """Several for arrays of shape (8, 4); the last over the devices in another order, by other axes."""
    turned = Mesh(mesh().devices.T[::-1], ("a", "b"))
    specs: list[tuple[Any, ...]] = [
        (),
        ("x",),
        (None, "y"),
        ("x", "y"),
        ("y", "x"),
        (("x", "y"),),
        (("y", "x"),),
    ]
    return [*[over(*spec) for spec in specs], NamedSharding(turned, P("b", "a"))]


def put(*spec: Any) -> Any:
    """The array of this module, over the mesh. Any: of all libraries' arrays, treadle's."""
    return treadle.device_put(H, over(*spec))


@law
def views_that_repeat() -> None:
    for view in (np.broadcast_to(H[:, :1], H.shape), np.broadcast_to(np.int32(3), H.shape)):
        for sharding in shardings():
            assert np.array_equal(treadle.device_put(view, sharding), view)
    counted = treadle.lax.broadcasted_iota("int32", (8, 4), 0)
    assert np.array_equal(treadle.device_put(counted, over("x", "y")), np.indices((8, 4))[0])


@law
def put_twice() -> None:
    for one, two in itertools.product(shardings(), repeat=2):
        found = treadle.device_put(treadle.device_put(H, one), two)
        assert np.array_equal(found, H)
        assert found.sharding is two
        for shard in found.addressable_shards:
            assert np.array_equal(shard.data, H[shard.index])
            assert shard.data.device is shard.device


@law
def constrained_within_jit() -> None:
    for one, two in itertools.product(shardings()[:-1], repeat=2):
        constrained = functools.partial(
            lambda sharding, x: lax.with_sharding_constraint(x + 1, sharding), two
        )
        found = treadle.jit(constrained, out_shardings=one)(H)
        assert np.array_equal(found, H + 1)
        assert found.sharding is one


@law
def random_numbers_are_the_same() -> None:
    for implementation in ("threefry2x32", "rbg"):
        key = random.key(7, impl=implementation)
        draw = lambda key: random.normal(key, (16, 8))  # noqa: E731
        whole = treadle.jit(draw)(key)
        for each in shardings()[:-1]:
            assert np.array_equal(treadle.jit(draw, out_shardings=each)(key), whole)


@law
def keys_are_sharded() -> None:
    for implementation in ("threefry2x32", "rbg"):
        whole = random.split(random.key(1, impl=implementation), 8)
        keys = treadle.device_put(whole, over("x"))
        assert np.array_equal(random.key_data(keys), random.key_data(whole))
        assert np.array_equal(random.key_data(keys[3]), random.key_data(whole[3]))
        turned = treadle.jit(lambda k: lax.with_sharding_constraint(k, over("y")))(keys)
        assert turned.sharding.spec == P("y")
        assert np.array_equal(random.key_data(turned), random.key_data(whole))
        draw = treadle.jit(treadle.vmap(lambda k: random.uniform(k, (3,))))
        assert np.array_equal(draw(keys), draw(whole))


@law
def donation() -> None:
    x = put("x", "y")
    y = treadle.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert x.is_deleted()
    assert np.array_equal(y, H + 1)
    z = treadle.device_put(y, over("y"), donate=True)
    assert y.is_deleted()
    assert np.array_equal(z, H + 1)
    with pytest.raises(errors.DonatedError):
        _ = y + 1


@law
def parts_that_are_not_equal_are_refused() -> None:
    seven = np.ones((7, 4), np.float32)
    calls: list[Callable[[], Any]] = [
        lambda: treadle.device_put(seven, over("x")),
        lambda: treadle.jit(lambda x: x, in_shardings=over("x"))(seven),
        lambda: treadle.jit(lambda x: x, out_shardings=over("x"))(seven),
        lambda: lax.with_sharding_constraint(seven, over("x")),
        lambda: treadle.make_array_from_callback((7, 4), over("x"), lambda part: seven[part]),
        lambda: over("x").shard_shape((7, 4)),
        lambda: (
            treadle.jit(lambda x: x)
            .lower(treadle.ShapeDtypeStruct((7, 4), np.float32, sharding=over("x")))
            .compile()
        ),
    ]
    for call in calls:
        with pytest.raises(errors.ShardingError, match=r"its size 7 is not a multiple of 4"):
            call()


@law
def results_of_unequal_parts_are_whole() -> None:
    x = treadle.device_put(np.arange(8.0, dtype=np.float32), over("x"))
    for function in (lambda x: x[1:], lambda x: tnp.concatenate([x, x[:3]]), lambda x: x[::3]):
        for call in (function, treadle.jit(function)):
            assert np.array_equal(call(x), treadle.jit(function)(np.asarray(x)))


@law
def no_elements() -> None:
    for shape in ((0, 4), (8, 0), (0, 0)):
        for each in (over("x", "y"), over(), over(None, "x")):
            x = treadle.device_put(np.zeros(shape, np.float32), each)
            assert x.sharding is each
            assert (
                treadle.jit(lambda x: x * 2)(x).shape
                == (x + 1).shape
                == np.asarray(x).shape
                == shape
            )
            assert float(x.sum()) == 0


@law
def no_axes() -> None:
    x = treadle.device_put(np.float32(3), over())
    assert (float(x), int(x), bool(x), float(x + 1), float(treadle.jit(lambda x: x * 2)(x))) == (
        3,
        3,
        True,
        4,
        6,
    )
    assert x.is_fully_replicated
    assert len(x.addressable_shards) == 8
    with pytest.raises(errors.ShardingError, match="only 0 axes"):
        treadle.device_put(np.float32(3), over("x"))


@law
def weak_types_stay() -> None:
    x = treadle.device_put(3.0, over())
    assert x.weak_type
    assert (x * np.float16(2)).dtype == np.float16


@law
def reads_and_copies() -> None:
    x = put("x", "y")
    assert repr(x) == repr(tnp.asarray(H))
    assert str(x) == str(H)
    assert x.tolist() == H.tolist()
    assert f"{x[1, 2]:.1f}" == "6.0"
    assert np.array_equal(treadle.device_get(x), H)
    assert np.array_equal(np.from_dlpack(x), H)
    assert np.array_equal(pickle.loads(pickle.dumps(x)), H)
    assert copy.deepcopy(x).sharding is copy.copy(x).sharding is x.sharding
    assert [np.asarray(row).tolist() for row in x] == H.tolist()


@law
def indexing() -> None:
    x = put("x", "y")
    for index in (
        0,
        -1,
        slice(2, 4),
        (slice(None), 1),
        slice(None, None, -1),
        (np.array([3, 1]),),
        H > 3,
    ):
        assert np.array_equal(x[index], H[index])
    set_, added = x.at[1].set(5.0), x.at[:, 2].add(1.0)
    assert np.array_equal(set_[1], np.full(4, 5.0))
    assert np.array_equal(added[:, 2], H[:, 2] + 1)
    assert set_.sharding is x.sharding


@law
def element_types() -> None:
    for dtype in ("bool", "int8", "uint32", "float16", "bfloat16", "complex64"):
        whole = tnp.asarray(np.arange(8) % 2).astype(dtype)
        x = treadle.device_put(whole, over("x"))
        assert x.dtype == whole.dtype
        assert np.array_equal(np.asarray(x), np.asarray(whole))
        assert np.array_equal(
            np.asarray(treadle.jit(lambda x: x * x)(x)), np.asarray(whole * whole)
        )


@law
def made_from_parts() -> None:
    x = put("x", "y")
    asked: list[Any] = []

    def given(part: Any) -> Any:
        asked.append(part)
        return H[part]

    called = treadle.make_array_from_callback((8, 4), over("x"), given)
    assert len(asked) == 4  # once for each part that differs
    local = treadle.make_array_from_process_local_data(over("x"), H)
    joined = treadle.make_array_from_single_device_arrays(
        (8, 4), over("x", "y"), [s.data for s in x.addressable_shards]
    )
    for each in (called, local, joined):
        assert np.array_equal(each, H)


@law
def callbacks_see_whole_arrays_once() -> None:
    seen: list[Any] = []

    def twice(x: Any) -> Any:
        seen.append(np.asarray(x))
        return 2 * np.asarray(x)

    def called(x: Any) -> Any:
        return treadle.pure_callback(twice, treadle.ShapeDtypeStruct((8, 4), np.float32), x) + 1

    x = put("x", "y")
    assert np.array_equal(treadle.jit(called)(x), 2 * H + 1)
    assert len(seen) == 1
    assert np.array_equal(seen[0], H)
    treadle.jit(lambda x: treadle.debug.callback(seen.append, x.sum()))(x)
    treadle.effects_barrier()
    assert float(seen[1]) == H.sum()

    def rows(x: Any) -> Any:
        def step(carry: Any, row: Any) -> Any:
            treadle.debug.callback(seen.append, row, ordered=True)
            return carry + row, None

        return lax.scan(step, tnp.zeros(4), x)[0]

    del seen[:]
    assert np.array_equal(treadle.jit(rows)(x), H.sum(0))
    treadle.effects_barrier()
    assert np.array_equal(seen, H)


def _told(seen: list[float], over: str) -> Any:
    """Functions that call one twice that calls one twice, of which the innermost has an ordered effect."""

    def innermost(x: Any) -> Any:
        treadle.debug.callback(lambda total: seen.append(float(total)), x.sum(), ordered=True)
        return x * 2

    def parts(f: Any) -> Any:
        spec = P("x", None)
        return treadle.shard_map(f, mesh=mesh(), in_specs=spec, out_specs=spec)

    def made(count: int) -> Any:
        tower = growth.tower(
            count, growth.WRAPPERS["jit"], parts(innermost) if over == "innermost" else innermost
        )
        return parts(tower) if over == "outermost" else tower

    return made


@law
def ordered_effects_of_functions_called_again_keep_their_order() -> None:
    seen: list[float] = []
    assert np.array_equal(treadle.jit(_told(seen, "none")(4))(put("x", None)), H * 2**16)
    treadle.effects_barrier()
    assert seen == [float(H.sum()) * 2**i for i in range(16)]


@law
def ordered_effects_of_each_device_keep_their_order() -> None:
    """Callbacks in regions that one program runs after each other, and between the regions, are called in order."""
    seen: list[tuple[int, float]] = []
    times = 4

    def tell(place: Any, total: Any) -> None:
        seen.append((int(place), float(total)))

    def told(x: Any) -> Any:
        place = lax.axis_index(("x", "y"))
        treadle.debug.callback(tell, place, x.sum(), ordered=True)
        treadle.debug.callback(tell, place, x.sum() + 0.25, ordered=True)
        return x + 1

    spec = P("x", "y")
    mapped = treadle.shard_map(told, mesh=mesh(), in_specs=spec, out_specs=spec)

    def between(x: Any) -> Any:
        for _ in range(times):
            treadle.debug.callback(tell, -1, x.sum(), ordered=True)
            x = mapped(x)
        return x

    repeatedly = {
        "calls": lambda x: functools.reduce(lambda x, _: mapped(x), range(times), x),
        "functions": lambda x: functools.reduce(
            lambda x, f: f(x), [treadle.jit(mapped)] * times, x
        ),
        "loop": lambda x: lax.fori_loop(0, times // 2, lambda i, x: mapped(mapped(x)), x),
        "branch": lambda x: lax.cond(
            x[0, 0] == 0, lambda x: mapped(mapped(mapped(x))), mapped, mapped(x)
        ),
        "between": between,
    }
    parts = [H[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].sum() for i in range(4) for j in range(2)]
    for name, function in repeatedly.items():
        del seen[:]
        for _ in range(3):
            treadle.jit(function)(put("x", "y"))
        treadle.effects_barrier()
        for device, first in enumerate(parts):
            told_there = [total for place, total in seen if place == device]
            steps = [first + 4.0 * step for step in range(times)]
            assert told_there == [x + y for x in steps for y in (0, 0.25)] * 3, (name, device)
        whole = [total for place, total in seen if place == -1]
        assert whole == [H.sum() + 32.0 * step for step in range(times)] * 3 * (name == "between")


@law
def lowering_of_ordered_effects_grows_linearly() -> None:
    for over in ("none", "innermost", "outermost"):
        made, measured = _told([], over), []
        for count in (growth.FIRST, *growth.SIZES):
            traced = treadle.jit(made(count)).trace(put("x", None))
            measured.append((growth.steps(traced.lower)[0], growth.size(traced.program)))
        growth.grows_linearly(measured[1:])


@law
def callbacks_within_shard_map_see_parts() -> None:
    def twice(x: Any) -> Any:
        assert x.shape == (2, 4)
        return 2 * np.asarray(x)

    mapped = treadle.shard_map(
        lambda x: treadle.pure_callback(twice, x, x), mesh=mesh(), in_specs=P("x"), out_specs=P("x")
    )
    assert np.array_equal(treadle.jit(mapped)(H), 2 * H)


@law
def a_callback_that_fails_stops_nothing_else() -> None:
    def bad(x: Any) -> Any:
        raise KeyError("mine")

    failing = treadle.jit(lambda x: treadle.pure_callback(bad, x, x).sum() + x)
    with pytest.raises(KeyError, match="mine"):
        failing(put("x", "y"))
    assert np.array_equal(put("x") + 1, H + 1)


@law
def compiled_ahead_of_time() -> None:
    struct = treadle.ShapeDtypeStruct((8, 4), np.float32, sharding=over("x", "y"))
    compiled = treadle.jit(lambda x, y: x * 2 + y).lower(struct, 1.0).compile()
    assert compiled.input_shardings == ((over("x", "y"), over()), {})
    assert np.array_equal(compiled(H, 1.0), 2 * H + 1)  # brought there
    assert np.array_equal(compiled(put("x", "y"), 1.0), 2 * H + 1)
    with pytest.raises(errors.ShardingError, match="was compiled for"):
        compiled(put("y"), 1.0)
    with treadle.set_mesh(mesh()):
        named = treadle.ShapeDtypeStruct((8, 4), np.float32, sharding=P("y"))
        assert treadle.jit(lambda x: x).lower(named).compile().input_shardings == ((over("y"),), {})


@law
def shardings_asked_for() -> None:
    x = put("x", "y")
    both = treadle.jit(
        lambda a, b: (a + b, a), in_shardings=(over("x"), None), out_shardings=(over("y"), None)
    )
    total, first = both(H, H)
    assert (total.sharding, first.sharding.spec) == (over("y"), P("x"))
    with pytest.raises(errors.ShardingError, match="committed"):
        both(x, H)
    with treadle.disable_jit():
        assert np.array_equal(both(x, H)[0], 2 * H)
    with treadle.set_mesh(mesh()):
        named = treadle.jit(lambda a: a + 1, in_shardings=P("x"), out_shardings=P("y"))
        assert named(H).sharding is over("y")


@law
def elsewhere_is_refused() -> None:
    x = put("x")
    there = treadle.device_put(H, treadle.devices()[3])
    turned = treadle.device_put(H, shardings()[-1])
    for other in (there, turned):
        with pytest.raises(errors.PlacementError, match="incompatible devices"):
            _ = x + other


@law
def settings_that_watch() -> None:
    x = put("x", "y")
    with treadle.debug_nans(True):
        for call in (tnp.log, treadle.jit(tnp.log)):
            with pytest.raises(errors.NotFiniteError):
                call(-1 - x)
    with treadle.transfer_guard("disallow"):
        assert treadle.jit(lambda x: x + x)(x).sharding is x.sharding


@law
def transformations() -> None:
    x = put("x", "y")

    def loss(x: Any) -> Any:
        return tnp.sum(tnp.sin(lax.with_sharding_constraint(x @ x.T, over("y", "x"))))

    whole = treadle.grad(lambda x: tnp.sum(tnp.sin(x @ x.T)))(H / 10)
    for gradient in (
        treadle.grad(loss),
        treadle.jit(treadle.grad(loss)),
        treadle.jit(treadle.grad(treadle.checkpoint(loss))),
    ):
        found = gradient(x / 10)
        np.testing.assert_allclose(found, whole, atol=1e-4)

    @treadle.custom_vjp
    def sine(x: Any) -> Any:
        return tnp.sin(x)

    sine.defvjp(
        lambda x: (tnp.sin(x), x), lambda x, ct: (lax.with_sharding_constraint(ct * 2, over("x")),)
    )
    assert treadle.jit(treadle.grad(lambda x: sine(x).sum()))(x).sharding.spec == P("x")
    rows = treadle.jit(treadle.vmap(lambda row: lax.with_sharding_constraint(row * 2, over("y"))))
    assert np.array_equal(rows(x), 2 * H)


@law
def threads() -> None:
    x, f = put("x", "y"), treadle.jit(lambda x: (x @ x.T).sum() + x.sum())
    with ThreadPoolExecutor(4) as workers:
        assert len({*workers.map(lambda _: float(f(x)), range(32))}) == 1
        with treadle.set_mesh(mesh()):
            assert get_mesh() is mesh()
            assert workers.submit(lambda: get_mesh().empty).result()
        with treadle.sharding.use_mesh(mesh()):
            assert get_mesh() is mesh()
        assert get_mesh().empty


@law
def caches_are_cleared() -> None:
    x, f = put("x", "y"), treadle.jit(lambda x: x * 2)
    before = f(x)
    treadle.clear_caches()
    assert np.array_equal(f(x), before)
    assert f(x).sharding is before.sharding


@law
def arrays_are_made_where_asked() -> None:
    made: dict[str, Callable[..., Any]] = {
        "zeros": functools.partial(tnp.zeros, 8),
        "ones": functools.partial(tnp.ones, 8),
        "full": functools.partial(tnp.full, 8, 2.5),
        "empty": functools.partial(tnp.empty, 8),
        "arange": functools.partial(tnp.arange, 8),
        "asarray": functools.partial(tnp.asarray, H[:, 0]),
        "astype": functools.partial(tnp.astype, tnp.arange(8), float),
    }
    for name, make in made.items():
        for sharding in (over("x"), over(("x", "y")), over()):
            found = make(device=sharding)
            assert found.sharding is sharding, name
            assert np.array_equal(found, make()), name
    with pytest.raises(errors.ShardingError):
        tnp.zeros(7, device=over("x"))


@law
def set_mesh_lays_out_what_is_made_and_computed() -> None:
    held = treadle.device_put(H, treadle.devices()[3])
    double = treadle.jit(lambda x: x * 2)
    plain = double(H)  # the caches are warm, in another context
    made: dict[str, Callable[[], Any]] = {
        "ones": lambda: tnp.ones((8, 4)),
        "asarray": lambda: tnp.asarray(H),
        "arange": lambda: tnp.arange(8),
        "eager": lambda: tnp.sin(H),
        "of uncommitted": lambda: plain + 1,
        "jit": lambda: double(H),
        "of nothing": lambda: treadle.jit(lambda: tnp.zeros(3))(),
        "grad": lambda: treadle.grad(lambda x: (x**2).sum())(plain),
        "vmap": lambda: treadle.vmap(tnp.sin)(plain),
        "scan": lambda: lax.scan(lambda c, x: (c + x.sum(), None), 0.0, plain)[0],
        "random": lambda: random.uniform(random.key(0), (3,)),
        "inverse": lambda: tnp.linalg.inv(tnp.eye(3)),
        "copy": lambda: copy.deepcopy(tnp.ones(3)),
    }
    expected = {name: make() for name, make in made.items()}
    with treadle.set_mesh(mesh()):
        for name, make in made.items():
            found = make()
            assert found.sharding is over(), name
            assert found.committed, name
            assert np.array_equal(found, expected[name]), name
            assert len({*map(str, (s.data for s in found.addressable_shards))}) == 1, name
        assert treadle.device_put(H).sharding == plain.sharding  # no other placement was requested
        assert double(held).sharding == held.sharding  # nor for this one to be left
        assert treadle.jit(lambda x, y: x + y)(put("x"), plain).sharding == over("x")
        with ThreadPoolExecutor(1) as workers:
            assert workers.submit(double, H).result().sharding == plain.sharding
    for name, make in made.items():
        assert make().sharding == plain.sharding, name


@law
def the_device_of_an_array_is_where_another_one_goes() -> None:
    for sharding in shardings():
        x = treadle.device_put(H, sharding)
        assert x.device is sharding
        assert tnp.zeros((8, 4), device=x.device).sharding is sharding
        assert treadle.device_put(tnp.ones((8, 4)), x.device).sharding is sharding
    assert tnp.ones(3).device is treadle.devices()[0]


@law
def small_arrays_that_are_whole_are_computed_by_numpy() -> None:
    heard: list[Event] = []
    with listening(heard.append), treadle.set_mesh(mesh()):
        x = tnp.ones((4, 3))
        y = (tnp.sin(x) @ x.T + 1).sum(axis=0)[1:].at[0].set(2.0)
    assert y.sharding is over()
    assert not [event for event in heard if isinstance(event, ProgramCompiled)]


@law
def likes_are_sharded_like_their_array() -> None:
    """The state of an optimizer, made with `zeros_like`, is divided as its parameters are."""
    makers: dict[str, Callable[..., Any]] = {
        "zeros_like": tnp.zeros_like,
        "ones_like": tnp.ones_like,
        "empty_like": tnp.empty_like,
        "full_like": functools.partial(tnp.full_like, fill_value=2.0),
        "lax.full_like": functools.partial(lax.full_like, fill_value=2.0),
        "zeros_like of integers": functools.partial(tnp.zeros_like, dtype=int),
    }
    second = treadle.devices()[1]
    alone, free = treadle.device_put(H, second), tnp.asarray(H)
    for name, make in makers.items():
        for sharding in shardings():
            found = make(treadle.device_put(H, sharding))
            assert found.sharding is sharding, name
            assert np.array_equal(found, make(free)), name
        assert make(alone).sharding is alone.sharding, name
        assert make(alone, shape=(3,)).sharding is alone.sharding, name
        assert not make(put("x"), shape=(3,)).committed, name
        assert not make(free).committed, name
        if not name.startswith("lax"):
            assert make(put("x"), device=second).device is second, name
    staged = treadle.jit(lambda x: x + tnp.zeros_like(x))
    assert np.array_equal(staged(put("x", "y")), H)


@law
def results_of_shard_map_have_the_specification_that_was_written() -> None:
    for spec in (P(), P(None), P(None, None), P("x"), P("x", None), P(("x", "y")), P(None, "y")):
        one = treadle.shard_map(lambda x: 2 * x, mesh=mesh(), in_specs=spec, out_specs=spec)
        found = one(H)
        assert found.sharding.spec == spec, spec
        assert np.array_equal(found, 2 * H), spec
        assert np.array_equal(found + 1, 2 * H + 1), spec
        assert one(found).sharding is found.sharding, spec


@law
def what_is_computed_of_divided_arrays_is_divided_as_under_jit() -> None:
    """The library's functions of several operations as well, which are run as a whole."""
    functions: dict[str, Callable[[Any], Any]] = {
        "concatenate": lambda x: tnp.concatenate([x, x], 1),
        "stack": lambda x: tnp.stack([x, x]),
        "clip": lambda x: tnp.clip(x, 1, 9),
        "softmax": nn.softmax,
        "gelu": nn.gelu,
        "var": lambda x: x.var(0),
        "mean": lambda x: x.mean(1),
        "sort": lambda x: tnp.sort(x, 1),
        "cumsum": lambda x: tnp.cumsum(x, 0),
        "pad": lambda x: tnp.pad(x, 1),
        "roll": lambda x: tnp.roll(x, 1),
        "tile": lambda x: tnp.tile(x, (2, 1)),
        "norm": lambda x: tnp.linalg.norm(x, axis=1),
        "one_hot": lambda x: nn.one_hot(x[:, 0].astype(int), 4),
        "flip": lambda x: tnp.flip(x, 0),
        "swapaxes": lambda x: tnp.swapaxes(x, 0, 1),
        "tril": tnp.tril,
        "where": lambda x: tnp.where(x > 3, x, 0),
        "matmul": lambda x: x @ x.T,
    }
    divided = 0
    for (name, function), spec in itertools.product(functions.items(), [(), ("x",), ("x", "y")]):
        x, staged = put(*spec), treadle.jit(function)(put(*spec))
        for _ in range(3):  # stepwise, planned, and as planned
            found = function(x)
            assert found.sharding.is_equivalent_to(staged.sharding, found.ndim), (name, spec)
            np.testing.assert_allclose(found, staged, rtol=1e-5)
        divided += not staged.sharding.is_fully_replicated
    assert divided > len(functions)


@law
def broadcast_operands_are_sharded_as_when_jitted() -> None:
    """Broadcasting is a part of the operation: on its own, it would lay a row over axes that are wanted."""
    functions: dict[str, Callable[..., Any]] = {
        "add": lambda x, y: x + y,
        "subtract": lambda x, y: y - x,
        "less": lambda x, y: x < y,
        "where": lambda x, y: tnp.where(x > 0, x, y),
        "where of a mask": lambda x, y: tnp.where(y > 0, x, 0),
        "promoted": lambda x, y: x.astype(int) * y,
        "power": lambda x, y: x**y,
        "hypot": tnp.hypot,
        "logical_or": tnp.logical_or,
    }
    row = np.arange(8, dtype=np.float32)
    rows = [treadle.device_put(row, over(*spec)) for spec in [("x",), ("y",), (("y", "x"),), ()]]
    for (name, function), x, y in itertools.product(functions.items(), shardings()[:-1], rows):
        large = treadle.device_put(H @ H.T, x)
        staged = treadle.jit(function)(large, y)
        for _ in range(3):  # whatever was planned meanwhile
            found = function(large, y)
            assert found.sharding.is_equivalent_to(staged.sharding, 2), (name, x, y.sharding)
            np.testing.assert_allclose(found, staged, rtol=1e-6)
    # What JAX gives, where the partitioner is the same.
    two = treadle.make_mesh((2, 2), ("a", "b"), (AxisType.Auto,) * 2, devices=treadle.devices()[:4])
    for given, sharding in itertools.product(
        [("a", "b"), ("b", "a"), (("a", "b"),)], [("a",), (("b", "a"),)]
    ):
        x_ = treadle.device_put(H[:4], NamedSharding(two, P(*given)))
        y_ = treadle.device_put(H[0], NamedSharding(two, P(*sharding)))
        assert (x_ + y_).sharding.spec == P(*given)


@law
def intermediate_values_may_have_unequal_shards() -> None:
    """XLA pads them; the results of a program are replicated then."""
    x = np.arange(10, dtype=np.float32)
    for sharding in (over("x"), over(("y", "x"))):

        def constrained(x: Any) -> Any:
            return lax.with_sharding_constraint(tnp.sort(-x), sharding)  # noqa: B023 - called here

        np.testing.assert_array_equal(treadle.jit(constrained)(x), np.sort(-x))
        np.testing.assert_array_equal(
            treadle.jit(lambda x: tnp.cumsum(constrained(x)[::-1]))(x),
            np.cumsum(np.sort(-x)[::-1]),
        )
        slope = treadle.jit(treadle.grad(lambda x: (constrained(x) ** 2).sum()))(x)
        np.testing.assert_allclose(slope, 2 * x, rtol=1e-6)
        with pytest.raises(errors.ShardingError, match="multiple of"):
            treadle.device_put(x, sharding)


@law
def one_device_calls_back_with_the_whole_array() -> None:
    first = SingleDeviceSharding(treadle.devices()[0])
    shape = treadle.ShapeDtypeStruct(H.shape, H.dtype)
    calls = []

    def seen(x: Any) -> Any:
        calls.append(x.shape)
        return 2 * x

    for call in (treadle.pure_callback, treadle.experimental.io_callback):
        calls.clear()
        found = treadle.jit(lambda x: call(seen, shape, x, sharding=first))(put("x", "y"))  # noqa: B023
        assert np.array_equal(found, 2 * H)
        assert calls == [H.shape]
        with pytest.raises(errors.ArgumentError, match="sharding must be None or a SingleDevice"):
            call(seen, shape, H, sharding=over("x"))  # type: ignore[arg-type]  # what is refused
