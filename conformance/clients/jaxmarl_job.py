"""jaxmarl: several agents in one environment."""

import jax
import jaxmarl
from reporting import show

for name in ("MPE_simple_spread_v3", "switch_riddle"):
    env = jaxmarl.make(name)
    key = jax.random.PRNGKey(0)
    obs, state = jax.jit(env.reset)(key)
    show(name, obs)
    keys = dict(zip(env.agents, jax.random.split(key, len(env.agents)), strict=True))
    actions = {agent: env.action_space(agent).sample(keys[agent]) for agent in env.agents}
    step = jax.jit(env.step)
    for _ in range(3):
        obs, state, reward, done, _ = step(key, state, actions)
    show(f"{name}, third step", [obs, reward])
