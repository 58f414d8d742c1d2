"""quax: matrices of low rank, units and zeros instead of arrays, in functions that are written for arrays."""

import equinox as eqx
import jax
import jax.numpy as jnp
import quax
from quax.examples import lora, unitful, zero
from reporting import show

key = jax.random.key(0)
layer = lora.loraify(eqx.nn.Linear(4, 5, key=key), rank=2, key=key)
show("low rank", quax.quaxify(layer)(jnp.ones(4)))
show("its gradient", jax.grad(lambda x: quax.quaxify(layer)(x).sum())(jnp.ones(4)))
length = unitful.Unitful(jnp.array(2.0), {unitful.meters: 1})
show("units", quax.quaxify(lambda x: x * x)(length).array)
show("zeros", quax.quaxify(jnp.add)(zero.Zero((3,), jnp.float32), jnp.ones(3)))
