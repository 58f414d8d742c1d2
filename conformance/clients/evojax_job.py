"""evojax: evolution strategies on a task, by a policy that is a network."""

import jax.numpy as jnp
from evojax.algo import PGPE, SimpleGA
from reporting import show

target = jnp.linspace(-1, 1, 5)
for solver in (
    PGPE(pop_size=16, param_size=5, optimizer="adam", seed=0),
    SimpleGA(pop_size=16, param_size=5, seed=0),
):
    best = []
    for _ in range(4):
        population = solver.ask()
        fitness = -jnp.sum((population - target) ** 2, axis=1)
        solver.tell(fitness=fitness)
        best.append(fitness.max())
    show(type(solver).__name__, [best, solver.best_params])
