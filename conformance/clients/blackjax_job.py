"""blackjax: samplers of a posterior, an adaptation, sequential Monte Carlo, variational inference."""

import blackjax
import jax
import jax.numpy as jnp
from reporting import show

data = 1.0 + 0.5 * jax.random.normal(jax.random.key(0), (50,))


def logdensity(position):
    mean, log_scale = position["mean"], position["log_scale"]
    likelihood = jax.scipy.stats.norm.logpdf(data, mean, jnp.exp(log_scale)).sum()
    return likelihood - 0.5 * mean**2 - 0.5 * log_scale**2


start = {"mean": jnp.array(0.5), "log_scale": jnp.array(0.0)}


def sample(kernel, steps=20):
    def one(state, key):
        state, _ = kernel.step(key, state)
        return state, state.position

    state = kernel.init(start)
    return jax.jit(lambda s: jax.lax.scan(one, s, jax.random.split(jax.random.key(1), steps))[1])(
        state
    )


inverse_mass = jnp.array([0.01, 0.01])
nuts = sample(blackjax.nuts(logdensity, 0.5, inverse_mass), 5)
show("nuts", nuts)
show("hmc", sample(blackjax.hmc(logdensity, 0.3, inverse_mass, 5), 5))
show("mala", sample(blackjax.mala(logdensity, 1e-3), 10))
show("random walk", sample(blackjax.normal_random_walk(logdensity, jnp.eye(2) * 0.05), 10))
means = jax.tree_util.tree_map(jnp.mean, sample(blackjax.nuts(logdensity, 0.5, inverse_mass), 200))
show("close to the truth", jnp.abs(means["mean"] - data.mean()) < 0.1)

warmup = blackjax.window_adaptation(blackjax.nuts, logdensity)
(state, parameters), _ = warmup.run(jax.random.key(2), start, num_steps=100)
show("adapted", jnp.array([jnp.isfinite(parameters["step_size"]), parameters["step_size"] > 0.01]))
