"""jumanji: a few steps of four environments."""

import jax
import jumanji
from reporting import show

for name in ("Snake-v1", "Game2048-v1", "Knapsack-v1", "Maze-v0"):
    env = jumanji.make(name)
    state, timestep = jax.jit(env.reset)(jax.random.PRNGKey(0))
    step = jax.jit(env.step)
    for _ in range(4):
        state, timestep = step(state, env.action_spec.generate_value())
    show(name, [timestep.reward, timestep.step_type, timestep.discount])
