"""craftax: the symbolic environment, stepped."""

import jax
from craftax.craftax_env import make_craftax_env_from_name
from reporting import show

env = make_craftax_env_from_name("Craftax-Symbolic-v1", auto_reset=False)
key = jax.random.PRNGKey(0)
params = env.default_params
obs, state = jax.jit(env.reset)(key, params)
show("first", obs)
step = jax.jit(env.step)
for action in (1, 2, 3, 5, 4):
    obs, state, reward, done, _ = step(key, state, action, params)
show("fifth", [obs, reward, done])
