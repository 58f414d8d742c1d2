"""The hook with what it declares: a program of JAX's, in an environment that has no jax."""

import treadle_jax

treadle_jax.install()

import importlib.metadata  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.extend.core import Primitive  # noqa: E402

assert importlib.metadata.version("jax") == jax.__version__
assert jax.grad(jax.jit(lambda x: jnp.sum(jnp.sin(x) ** 2)))(jnp.ones(2)).shape == (2,)
assert Primitive("mine").name == "mine"
print("treadle_jax works:", jax)
