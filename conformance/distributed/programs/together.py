"""What processes give each other: prints nothing when all is right."""

import numpy as np

import treadle
from treadle.errors import (
    ArgumentError,
    PlacementError,
    ProcessMismatchError,
    UnsupportedError,
)
from treadle.experimental import multihost_utils as utils
from treadle.sharding import NamedSharding, PartitionSpec as P

treadle.distributed.initialize(initialization_timeout=60, shutdown_timeout_seconds=60)
me, count = treadle.process_index(), treadle.process_count()
assert treadle.distributed.is_initialized()
assert treadle.process_indices() == [*range(count)]
assert len(treadle.devices()) == 2 * count
assert {device.process_index for device in treadle.local_devices()} == {me}
assert treadle.local_devices(process_index=count - 1) == treadle.devices()[-2:]


def refused(function, *arguments):
    try:
        function(*arguments)
    except (ArgumentError, PlacementError, ProcessMismatchError, UnsupportedError) as error:
        return "\n".join([str(error), *error.__notes__])
    raise AssertionError("it was not refused")


gathered = utils.process_allgather({"a": np.arange(3) + 10 * me, "b": float(me)})
np.testing.assert_array_equal(gathered["a"], [np.arange(3) + 10 * each for each in range(count)])
np.testing.assert_array_equal(gathered["b"], np.arange(count, dtype=np.float32))
tiled = utils.process_allgather(np.arange(2) + 10 * me, tiled=True)
np.testing.assert_array_equal(tiled, np.concatenate([np.arange(2) + 10 * n for n in range(count)]))

np.testing.assert_array_equal(utils.broadcast_one_to_all(np.full(3, me)), [0, 0, 0])
assert utils.broadcast_one_to_all(me + 5, is_source=me == count - 1) == count + 4
said = refused(utils.broadcast_one_to_all, 1, True)
assert f"{count} of {count} processes are the source" in said

utils.sync_global_devices("here")
assert "process 1 at" in refused(utils.sync_global_devices, f"at {me}") or me == 1
utils.assert_equal({"seed": 3, "x": np.ones(2)})
assert refused(utils.assert_equal, me, "the seeds").startswith(
    "the seeds: process 1 has other values"
)
assert "process 1 has" in refused(utils.assert_equal, np.zeros(2 + (me == 1)))

mesh = treadle.make_mesh((2 * count,), ("d",))
whole = utils.host_local_array_to_global_array(np.arange(4.0) + 100 * me, mesh, P("d"))
assert whole.shape == (4 * count,)
assert not whole.is_fully_addressable
expected = np.concatenate([np.arange(4.0) + 100 * each for each in range(count)])
np.testing.assert_array_equal(utils.process_allgather(whole), expected)
part = utils.global_array_to_host_local_array(whole, mesh, P("d"))
np.testing.assert_array_equal(np.asarray(part), np.arange(4.0) + 100 * me)
copies = utils.global_array_to_host_local_array(whole, mesh, P())
np.testing.assert_array_equal(np.asarray(copies), expected)
assert "process_allgather" in refused(np.asarray, whole)

# Derivatives go through it: the whole array's cotangent gives each process its part.
local = np.arange(4.0, dtype=np.float32)
made, pullback = treadle.vjp(
    lambda x: utils.host_local_array_to_global_array(x, mesh, P("d")), local
)
assert made.shape == whole.shape
(ct,) = pullback(whole)
np.testing.assert_array_equal(np.asarray(ct), local + 100 * me)
by_two = treadle.vmap(lambda x: utils.host_local_array_to_global_array(x, mesh, P("d")))
rows = by_two(np.stack([local + 100 * me, local]))
assert rows.shape == (2, 4 * count)
np.testing.assert_array_equal(utils.process_allgather(rows)[0], expected)
shape = treadle.eval_shape(
    lambda x: utils.global_array_to_host_local_array(x, mesh, P("d")),
    treadle.ShapeDtypeStruct(whole.shape, whole.dtype),
).shape
assert shape == (4,)
assert "outside of the compiled function" in refused(
    treadle.jit(lambda x: utils.host_local_array_to_global_array(x, mesh, P("d"))), local
)
assert repr(whole) == str(whole) == f"Array(shape={(4 * count,)}, dtype=float32)"

again = treadle.device_put(whole, NamedSharding(mesh, P("d")))
whole.delete()
np.testing.assert_array_equal(utils.process_allgather(again), expected)
with utils.live_devices(treadle.devices()) as alive:
    assert alive == treadle.devices()
treadle.distributed.shutdown()
assert not treadle.distributed.is_initialized()
