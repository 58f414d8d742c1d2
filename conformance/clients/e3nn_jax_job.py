"""e3nn_jax: spherical harmonics and products of tensors, with derivatives."""

import e3nn_jax as e3nn
import jax
import jax.numpy as jnp
from reporting import show

features = e3nn.normal("2x0e+1o", jax.random.key(0), (4,))
show("features", features.array)
harmonics = e3nn.spherical_harmonics("0e+1o+2e", features.filter("1o"), True)
show("harmonics", harmonics.array)
show("product", e3nn.tensor_product(features, harmonics).array)
rotation = e3nn.rand_matrix(jax.random.key(1))
show("rotated", features.transform_by_matrix(rotation).array)


def cubes(vector):
    return jnp.sum(e3nn.spherical_harmonics(3, e3nn.IrrepsArray("1o", vector), True).array ** 3)


show("gradient", jax.grad(cubes)(jnp.array([1.0, 0.2, 0.3])))
