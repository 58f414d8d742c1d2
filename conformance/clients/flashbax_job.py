"""flashbax: a buffer of experience, filled and sampled."""

import flashbax
import jax
import jax.numpy as jnp
from reporting import show

buffer = flashbax.make_item_buffer(max_length=32, min_length=2, sample_batch_size=4)
state = buffer.init({"seen": jnp.zeros(3), "reward": jnp.array(0.0)})
add = jax.jit(buffer.add, donate_argnums=0)
for i in range(6):
    state = add(state, {"seen": jnp.ones(3) * i, "reward": jnp.array(float(i))})
show("sample", buffer.sample(state, jax.random.PRNGKey(0)).experience)
show("ready", buffer.can_sample(state))
