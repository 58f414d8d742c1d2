"""gymnax: environments, stepped under vmap and scan."""

import functools

import gymnax
import jax
from reporting import show

NAMES = [
    "CartPole-v1",
    "Pendulum-v1",
    "MountainCar-v0",
    "Acrobot-v1",
    "Catch-bsuite",
    "Breakout-MinAtar",
]


def episode(env, params, key):
    def step(state, key):
        action = env.action_space(params).sample(key)
        obs, state, reward, done, *_ = env.step(key, state, action, params)
        return state, (obs, reward, done)

    _, state = env.reset(key, params)
    return jax.lax.scan(step, state, jax.random.split(key, 8))[1]


for name in NAMES:
    run = functools.partial(episode, *gymnax.make(name))
    show(name, jax.jit(jax.vmap(run))(jax.random.split(jax.random.key(0), 3)))
