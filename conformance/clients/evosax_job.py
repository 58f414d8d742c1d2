"""evosax: ten generations of CMA-ES."""

import jax
import jax.numpy as jnp
from evosax.algorithms import CMA_ES
from reporting import show

strategy = CMA_ES(population_size=8, solution=jnp.zeros(3))
params = strategy.default_params
key = jax.random.key(0)
state = strategy.init(key, jnp.ones(3), params)
for _ in range(10):
    key, asking, telling = jax.random.split(key, 3)
    points, state = strategy.ask(asking, state, params)
    state, _ = strategy.tell(telling, points, ((points - 0.5) ** 2).sum(-1), state, params)
show("best", state.best_fitness)
show("mean", state.mean)
