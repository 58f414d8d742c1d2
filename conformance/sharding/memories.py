"""What is in a memory of the host gives what it gives on its devices; and it is where somebody put it."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.sharding.arrays import H, mesh, over, shardings
from conformance.sharding.table import table
from treadle import errors, lax, random
from treadle.memory import Space
from treadle.sharding import NamedSharding, PartitionSpec as P, SingleDeviceSharding

LAWS, law = table(mesh)  # which takes eight devices
HOST: Final = "pinned_host"


def everywhere() -> list[Any]:
    """Shardings over one device and over eight."""
    return [SingleDeviceSharding(treadle.devices()[3]), *shardings()]


def in_host(sharding: Any) -> Any:
    """Return the module's array, sharded so in the host's memory. Any: of all libraries' arrays, treadle's."""
    return treadle.device_put(H, sharding.with_memory_kind(HOST))


def is_in(x: Any, kind: str) -> bool:
    """Return whether the sharding of `x` has this memory kind, and its shards are in that memory."""
    parts = {part.data.sharding.memory_kind for part in x.addressable_shards}
    return bool(x.sharding.memory_kind == kind) and parts == {kind}


def placements(text: str) -> list[str]:
    """Return the memories in which a module places values."""
    return re.findall(r'_xla_buffer_placement = "(\w+)"', text)


@law
def put_there_and_back() -> None:
    for sharding in everywhere():
        there = in_host(sharding)
        assert is_in(there, HOST)
        assert np.array_equal(there, H)
        assert there.sharding is sharding.with_memory_kind(HOST)
        assert there.sharding is not sharding
        for back in (
            treadle.device_put(there, sharding),
            treadle.device_put(there, Space.Device),
            treadle.jit(lambda x: x, out_shardings=sharding)(there),
        ):
            assert is_in(back, "device")
            assert back.sharding.is_equivalent_to(sharding, 2)
            assert np.array_equal(back, H)
        again = treadle.device_put(treadle.device_put(H, sharding), Space.Host)
        assert is_in(again, HOST)
        assert np.array_equal(again, H)


@law
def put_elsewhere_within_the_host() -> None:
    for one in everywhere():
        for two in everywhere():
            found = treadle.device_put(in_host(one), two.with_memory_kind(HOST))
            assert is_in(found, HOST)
            assert np.array_equal(found, H)
            for shard in found.addressable_shards:
                assert np.array_equal(shard.data, H[shard.index])


@law
def computed_with() -> None:
    """Devices compute in their own memory, eagerly and compiled; results are there."""

    def computed(x: Any) -> Any:
        return tnp.sort(tnp.tanh(x) @ x.T + x.sum(), axis=0).at[0].set(1)

    for sharding in everywhere():
        plain, there = treadle.device_put(H, sharding), in_host(sharding)
        for function in (computed, treadle.jit(computed), treadle.vmap(tnp.cumsum)):
            found = function(there)
            assert is_in(found, "device")
            np.testing.assert_allclose(found, function(plain), rtol=1e-6)
        both = treadle.jit(lambda x, y: x * y)(plain, there)
        assert np.array_equal(both, H * H)
        assert np.array_equal(plain * there, H * H)


@law
def results_are_where_they_were_put() -> None:
    for sharding in everywhere():
        x = treadle.device_put(H, sharding)
        host = sharding.with_memory_kind(HOST)
        asked = treadle.jit(lambda x: (x + 1, 2 * x), out_shardings=(host, sharding))
        put = treadle.jit(lambda x: (treadle.device_put(x + 1, Space.Host), 2 * x))
        placed = treadle.jit(lambda x: (treadle.device_put(x + 1, host), 2 * x))  # noqa: B023
        for function in (asked, put, placed):
            one, two = function(x)
            assert is_in(one, HOST)
            assert is_in(two, "device")
            assert np.array_equal(one, H + 1)
            assert np.array_equal(two, 2 * H)
            compiled = function.lower(x).compile()
            assert compiled.output_shardings[0].memory_kind == HOST
            assert np.array_equal(compiled(x)[0], H + 1)


@law
def passed_through() -> None:
    for sharding in everywhere():
        there = in_host(sharding)
        lowered = treadle.jit(lambda x: x).lower(there)
        assert placements(lowered.as_text()) == []
        assert is_in(lowered.compile()(there), HOST)


@law
def arguments_are_taken_where_they_are() -> None:
    for sharding in everywhere():
        host = sharding.with_memory_kind(HOST)
        step = treadle.jit(
            lambda x: treadle.device_put(x, Space.Device) + 1, in_shardings=host, out_shardings=host
        )
        found = step(in_host(sharding))
        assert is_in(found, HOST)
        assert np.array_equal(found, H + 1)
        assert np.array_equal(step(tnp.asarray(H)), H + 1)  # it is uncommitted
        with pytest.raises(errors.ShardingError, match="memory_kind=pinned_host"):
            step(treadle.device_put(H, sharding))


@law
def brought_from_another_device() -> None:
    there = in_host(SingleDeviceSharding(treadle.devices()[3]))
    with pytest.warns(DeprecationWarning, match="device"):
        elsewhere = treadle.jit(lambda x: 2 * x, device=treadle.devices()[1])
    found = elsewhere(there)
    assert found.devices() == {treadle.devices()[1]}
    assert is_in(found, "device")
    assert np.array_equal(found, 2 * H)


@law
def brought_once() -> None:
    """However many operations take it, a value goes to the device once."""
    text = (
        treadle.jit(lambda x: (tnp.sin(x), tnp.cos(x), x + x)).lower(in_host(over("x"))).as_text()
    )
    assert placements(text) == ["device"]


@law
def scans_take_and_leave_one_element_at_a_time() -> None:
    for sharding in (over(None, "y"), SingleDeviceSharding(treadle.devices()[3])):

        def layer(x: Any, w: Any) -> tuple[Any, Any]:
            x = tnp.tanh(x * treadle.device_put(w, Space.Device))
            return x, treadle.device_put(x, Space.Host)

        scanned = treadle.jit(lambda ws: lax.scan(layer, tnp.ones(4, tnp.float32), ws))
        ws = in_host(sharding)
        text = scanned.lower(ws).as_text()
        assert sorted(placements(text)) == ["device", HOST]  # both within the loop
        assert text.index("stablehlo.while") < text.index("annotate_device_placement")
        last, every = scanned(ws)
        expected, x = [], np.ones(4, np.float32)
        for w in H:
            x = np.tanh(x * w)
            expected.append(x)
        assert is_in(every, HOST)
        np.testing.assert_allclose(last, x, rtol=1e-6)
        np.testing.assert_allclose(every, expected, rtol=1e-6)


@law
def derivatives_wait_where_the_policy_says() -> None:
    policy = treadle.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[],
        names_which_can_be_offloaded=["hidden"],
        offload_src="device",
        offload_dst=HOST,
    )

    def layer(x: Any, w: Any) -> tuple[Any, None]:
        hidden = treadle.ad_checkpoint.checkpoint_name(tnp.tanh(x @ w), "hidden")
        return tnp.sin(hidden), None

    def loss(ws: Any, x: Any, body: Callable[..., Any]) -> Any:
        return lax.scan(body, x, ws)[0].sum()

    ws = np.random.default_rng(0).standard_normal((3, 4, 4)).astype(np.float32)
    kept = treadle.checkpoint(layer, policy=policy)
    for x in (tnp.asarray(H), treadle.device_put(H, over("x"))):
        plain = treadle.jit(treadle.grad(loss), static_argnums=2)
        expected = plain(ws, x, layer)
        # Some elements are sums that cancel: their rounding is relative to the largest ones.
        atol = 1e-6 * float(np.abs(expected).max())
        for found in (plain(ws, x, kept), treadle.grad(loss)(ws, x, kept)):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=atol)
        assert sorted(placements(plain.lower(ws, x, kept).as_text())) == ["device", HOST]


@law
def through_other_transformations() -> None:
    for sharding in (over("x"), SingleDeviceSharding(treadle.devices()[0])):
        there = in_host(sharding)
        square = treadle.jit(lambda x: (treadle.device_put(x, Space.Device) ** 2).sum())
        assert np.array_equal(treadle.grad(square)(there), 2 * H)
        _, tangent = treadle.jvp(square, (there,), (tnp.ones_like(H),))
        assert float(tangent) == (2 * H).sum()
        rows = treadle.jit(treadle.vmap(lambda row: treadle.device_put(row * 2, Space.Host)))
        assert is_in(rows(there), HOST)
        assert np.array_equal(rows(there), 2 * H)
        chosen = treadle.jit(
            lambda p, x: lax.cond(
                p, lambda x: treadle.device_put(x, Space.Device) + 1, lambda x: x, x
            )
        )
        assert np.array_equal(chosen(True, there), H + 1)
        with treadle.disable_jit():
            assert is_in(treadle.jit(lambda x: treadle.device_put(x, Space.Host))(there), HOST)


@law
def donated() -> None:
    for sharding in everywhere():
        host = sharding.with_memory_kind(HOST)
        step = treadle.jit(
            lambda x: treadle.device_put(x, Space.Device) + 1, out_shardings=host, donate_argnums=0
        )
        given = in_host(sharding)
        found = step(given)
        assert given.is_deleted()
        assert is_in(found, HOST)
        assert np.array_equal(found, H + 1)
        kept = treadle.device_put(H, sharding)  # of another memory: nothing can be taken over
        assert np.array_equal(step(kept), H + 1)
        assert not kept.is_deleted()


@law
def keys_and_small_types() -> None:
    for kind in ("threefry2x32", "rbg"):
        key = random.key(3, impl=kind)
        there = treadle.device_put(key, over().with_memory_kind(HOST))
        drawn = treadle.jit(lambda key: random.uniform(treadle.device_put(key, Space.Device), (4,)))
        assert np.array_equal(drawn(there), random.uniform(key, (4,)))
        assert is_in(treadle.jit(lambda key: treadle.device_put(key, Space.Host))(key), HOST)
    for dtype in ("int4", "float8_e5m2", "bool", "bfloat16", "complex64"):
        x = tnp.asarray(H).astype(dtype)
        there = treadle.device_put(x, over("x").with_memory_kind(HOST))
        moved = treadle.jit(lambda x: treadle.device_put(x, Space.Host))(there)
        for found in (there, moved):
            assert found.sharding.memory_kind == HOST
            assert np.array_equal(found, x)


@law
def exported() -> None:
    for sharding in (over("x"), over()):
        host = sharding.with_memory_kind(HOST)
        put = treadle.jit(lambda x: (treadle.device_put(x, Space.Device) + 1, x * 2))
        for function, kinds in (
            (put, ["device", "device"]),
            (
                treadle.jit(lambda x: (x + 1, 2 * x), out_shardings=(host, sharding)),
                [HOST, "device"],
            ),
            (
                treadle.jit(lambda x: (treadle.device_put(x + 1, Space.Host), x * 2)),
                [HOST, "device"],
            ),
        ):
            x = treadle.device_put(H, sharding)
            written = treadle.export.export(function)(x).serialize()
            read = treadle.export.deserialize(written)
            for given in (x, in_host(sharding)):
                found = read.call(given)
                assert [each.sharding.memory_kind for each in found] == kinds
                assert np.array_equal(found[0], H + 1)
                assert np.array_equal(found[1], 2 * H)


@law
def of_a_mesh_without_devices() -> None:
    described = NamedSharding(mesh().abstract_mesh, P("x"), memory_kind=HOST)
    with treadle.set_mesh(mesh()):
        assert treadle.device_put(H, described).sharding is over("x").with_memory_kind(HOST)
        found = treadle.jit(lambda x: x + 1, out_shardings=described)(H)
        assert is_in(found, HOST)


@law
def made_there() -> None:
    host = over("x", "y").with_memory_kind(HOST)
    made = treadle.make_array_from_callback((8, 4), host, lambda part: H[part])
    assert is_in(made, HOST)
    assert np.array_equal(made, H)
    parts = [part.data for part in made.addressable_shards]
    again = treadle.make_array_from_single_device_arrays((8, 4), host, parts)
    assert is_in(again, HOST)
    with pytest.raises(errors.ShardingError, match="in the memory 'pinned_host'"):
        treadle.make_array_from_single_device_arrays((8, 4), over("x", "y"), parts)
    assert is_in(tnp.zeros_like(made), HOST)  # a state made so is where its parameters are
    assert is_in(made.copy(), HOST)
    assert pickle.loads(pickle.dumps(host)) is host


@law
def mistakes() -> None:
    with pytest.raises(errors.PlacementError, match=r"no memory of the kind 'fast'") as raised:
        over("x").with_memory_kind("fast")
    assert "'pinned_host'" in "".join(raised.value.__notes__)
    with pytest.raises(errors.PlacementError, match="no memory of the kind"):
        NamedSharding(mesh(), P(), memory_kind="fast")
    with pytest.raises(errors.ArgumentError, match="memory_kind must be a string or None"):
        SingleDeviceSharding(treadle.devices()[0], memory_kind=3)  # type: ignore[arg-type]
    with pytest.raises(errors.ArgumentError, match="kind must be a string"):
        over("x").with_memory_kind(3)  # type: ignore[arg-type]
