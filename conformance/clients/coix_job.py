"""coix: a guide of a model is trained by stochastic variational inference, on numpyro."""

import coix
import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
import optax
from reporting import show

coix.set_backend("coix.numpyro")
measured = jnp.asarray([1.0, 2.0, 0.5])


def model():
    mean = numpyro.sample("mean", dist.Normal(0.0, 2.0).expand([3]).to_event(1))
    numpyro.sample("y", dist.Normal(mean, 0.5).to_event(1), obs=measured)
    return mean


def loss(params, key):
    def guide():
        scale = jnp.exp(params["scale"])
        return numpyro.sample("mean", dist.Normal(params["place"], scale).to_event(1))

    _, _, metrics = coix.traced_evaluate(coix.algo.svi(model, guide), seed=key)()
    return metrics["loss"], metrics


optimizer = optax.adam(0.1)
params = {"place": jnp.zeros(3), "scale": jnp.zeros(3)}
state = optimizer.init(params)
step = jax.jit(jax.value_and_grad(loss, has_aux=True))
losses = []
for i in range(20):
    (value, metrics), gradient = step(params, jax.random.PRNGKey(i))
    updates, state = optimizer.update(gradient, state)
    params = optax.apply_updates(params, updates)
    losses.append(value)
show("losses", losses)
show("parameters", params)
