"""jaxtyping: annotations of shapes and element types, checked as functions are called and traced."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray, PyTree, Shaped, jaxtyped
from reporting import show

checks = [
    isinstance(jnp.ones((2, 3)), Float[Array, "2 3"]),
    isinstance(jnp.ones((2, 3)), Float[Array, "3 2"]),
    isinstance(jnp.arange(3), Int[Array, " n"]),
    isinstance(jnp.arange(3), Float[Array, " n"]),
    isinstance(jnp.ones(2) > 0, Bool[Array, "2"]),
    isinstance({"a": jnp.ones(2)}, PyTree[Float[Array, "2"]]),
    isinstance({"a": jnp.ones(2), "b": 1}, PyTree[Float[Array, "2"]]),
    isinstance(jnp.ones((4, 4)), Shaped[Array, "n n"]),
    isinstance(jnp.ones((4, 5)), Shaped[Array, "*batch 5"]),
]
show("outside", jnp.array(checks))
key = jax.random.key(0)
show("keys", jnp.array([isinstance(key, PRNGKeyArray), isinstance(jnp.ones(2), Key[Array, ""])]))
show("typed keys", jnp.array(isinstance(key, Key[Array, ""])))

seen = []


@jax.jit
def traced(x):
    seen.append(isinstance(x, Float[Array, "2 3"]))
    seen.append(isinstance(x, Int[Array, "2 3"]))
    return x


traced(jnp.ones((2, 3)))
jax.vmap(lambda x: (seen.append(isinstance(x, Float[Array, "3"])), x)[1])(jnp.ones((2, 3)))
show("traced", jnp.array(seen))

with jaxtyped("context"):
    bound = [
        isinstance(jnp.ones(3), Float[Array, " n"]),
        isinstance(jnp.ones(4), Float[Array, " n"]),
    ]
show("bound", jnp.array(bound))
