"""paramax: parameters that are constrained, or held, until a model is unwrapped."""

import equinox as eqx
import jax.numpy as jnp
import paramax
from reporting import show

params = {
    "scale": paramax.Parameterize(jnp.exp, jnp.zeros(3)),
    "held": paramax.non_trainable(jnp.arange(3.0)),
    "weight": paramax.WeightNormalization(jnp.arange(1.0, 7.0).reshape(2, 3)),
}
show("unwrapped", paramax.unwrap(params))


def loss(params):
    params = paramax.unwrap(params)
    return jnp.sum((params["scale"] - params["held"]) ** 2) + jnp.sum(params["weight"][:, 0] ** 3)


show("gradient", eqx.filter_jit(eqx.filter_grad(loss))(params))
