"""Arrays over devices, from the host and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import PartitionSpec as P, ops
from treadle_runtime import Mesh, NamedSharding, device_put, devices, jit

MESH = Mesh(devices(), ("x",))
HOST = np.arange(24, dtype=np.float32).reshape(6, 4)


@pytest.mark.parametrize("spec", [P(), P("x")])
def test_what_is_put_is_a_copy(spec: Any) -> None:
    given = np.tile(HOST, (100, 100))  # large enough to be used in place, if it were ours
    put = device_put(given, NamedSharding(MESH, spec))
    given[:] = -1
    assert np.array_equal(put, np.tile(HOST, (100, 100)))


@pytest.mark.parametrize("view", [HOST[::2], HOST[:, ::2], HOST.T[:3], HOST[::-1], HOST[:0]])
def test_views(view: Any) -> None:
    put = device_put(view, NamedSharding(MESH, P("x")))
    assert np.array_equal(put, view)
    for shard in put.addressable_shards:
        assert np.array_equal(shard.data, view[shard.index])


@pytest.mark.parametrize("rows", [3, 3000, 300_000, 3_000_000])  # 48 bytes to 48 megabytes
@pytest.mark.parametrize("spec", [P("x"), P()])
def test_sizes(rows: int, spec: P) -> None:
    given = np.arange(4 * rows, dtype=np.float32).reshape(rows, 4)
    truth = given.copy()
    put = device_put(given, NamedSharding(MESH, spec))
    given[:] = -1
    assert np.array_equal(put, truth)
    for shard in put.addressable_shards:
        assert np.array_equal(shard.data, truth[shard.index])


def test_an_array_without_axes() -> None:
    put = device_put(np.array(2.5, np.float32), NamedSharding(MESH, P()))
    assert put.shape == ()
    assert [shard.data.shape for shard in put.addressable_shards] == [()] * 3
    assert float(put) == 2.5


def test_copies_of_a_part_are_donated_each_by_itself() -> None:
    """Devices of the CPU may share the memory of equal parts, and none may write to it."""
    whole = np.tile(HOST, (100, 100))
    first = device_put(whole, NamedSharding(MESH, P()))
    other = device_put(first, NamedSharding(MESH, P()))
    added = jit(lambda x: x + 1, donate_argnums=0)(first)
    again = jit(lambda x: x + 1, donate_argnums=0)(added)
    for shard in again.addressable_shards:
        assert np.array_equal(shard.data, whole + 2)
    assert np.array_equal(other, whole)


def test_arrays_are_resharded() -> None:
    rows = device_put(HOST, NamedSharding(MESH, P("x")))
    wide = device_put(np.ascontiguousarray(HOST.T), NamedSharding(MESH, P(None, "x")))
    for put in (rows, jit(lambda x: ops.transpose(x, permutation=(1, 0)))(wide)):
        for spec in (P(), P("x")):
            found = device_put(put, NamedSharding(MESH, spec))
            assert np.array_equal(found, HOST)
            assert found.sharding is NamedSharding(MESH, spec)
