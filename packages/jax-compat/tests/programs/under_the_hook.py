"""Two processes of a program of JAX's, under treadle-jax's hook: prints nothing when all is right."""
# ruff: noqa: E402 - the hook comes first

import numpy as np

import treadle_jax

treadle_jax.install()

import jax
import jax.numpy as jnp
from jax._src.distributed import global_state
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, PartitionSpec as P

alone: object = global_state.client
assert alone is None
jax.distributed.initialize(initialization_timeout=60)
me, count = jax.process_index(), jax.process_count()
assert (global_state.process_id, global_state.num_processes) == (me, count)

# as orbax does, whose processes meet by the service itself
client = global_state.client
assert client is not None
client.key_value_set(f"from {me}", f"hello of {me}")
client.wait_at_barrier("all are here", timeout_in_ms=60_000)
other = (me + 1) % count
assert client.key_value_try_get(f"from {other}") == f"hello of {other}"
said = ""
try:
    client.key_value_try_get("a key that is not set")
except jax.errors.JaxRuntimeError as error:
    said = str(error)
assert said.startswith("NOT_FOUND")

mesh = jax.make_mesh((2 * count,), ("d",))
x = jax.make_array_from_callback(
    (4 * count,), NamedSharding(mesh, P("d")), lambda i: np.arange(4.0 * count)[i]
)
assert [part.data.tolist() for part in x.addressable_shards if part.data is not None] == [
    [4.0 * me, 4.0 * me + 1],
    [4.0 * me + 2, 4.0 * me + 3],
]
y = jax.jit(lambda x: 2 * x + 1)(x)
np.testing.assert_array_equal(
    multihost_utils.process_allgather(y, tiled=True), 2 * np.arange(4.0 * count) + 1
)
total = jax.shard_map(
    lambda x: jax.lax.psum(jnp.sum(x), "d"), mesh=mesh, in_specs=P("d"), out_specs=P()
)
assert float(total(x)) == sum(range(4 * count))
jax.distributed.shutdown()
