"""signax: signatures and log signatures of paths, with derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import signax
from reporting import show

path = jnp.asarray(np.random.default_rng(0).normal(size=(10, 3)), jnp.float32)
show("signature", signax.signature(path, 3))
show("log signature", signax.logsignature(path, 3))
show("gradient", jax.grad(lambda path: signax.signature(path, 3)[-1].sum())(path))
show("batch", jax.vmap(lambda path: signax.signature(path, 2)[-1])(jnp.stack([path, 2 * path])))
