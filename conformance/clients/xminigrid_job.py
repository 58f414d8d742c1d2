"""xminigrid: an environment, stepped."""

import jax
import xminigrid
from reporting import show

env, params = xminigrid.make("MiniGrid-FourRooms")
timestep = jax.jit(env.reset)(params, jax.random.key(0))
show("first", timestep.observation)
step = jax.jit(env.step)
for action in (0, 1, 0, 2, 0):
    timestep = step(params, timestep, action)
show("fifth", [timestep.observation, timestep.reward])
