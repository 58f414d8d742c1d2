"""array_api_compat: one program for the arrays of many libraries, run on JAX's arrays."""

import array_api_compat
import jax
import jax.numpy as jnp
from array_api_extra import at, cov, kron, setdiff1d
from reporting import show

x = jnp.arange(6.0).reshape(2, 3)
xp = array_api_compat.array_namespace(x)
show(
    "asked",
    [
        array_api_compat.is_jax_array(x),
        array_api_compat.size(x),
        array_api_compat.is_writeable_array(x),
    ],
)
standard = (xp.linalg.vector_norm(x, axis=1) + xp.mean(x)) / xp.std(x)
show("computed", [standard, xp.concat([x, x], axis=1), xp.permute_dims(x, (1, 0))])
show("updated", jax.jit(lambda x: at(x)[0].add(1.0))(x))
show("moved", array_api_compat.to_device(x, array_api_compat.device(x)))
show("extra", [cov(x), kron(x, x), setdiff1d(x, jnp.array([1.0, 2.0]))])
