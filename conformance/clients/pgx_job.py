"""pgx: games, played at random in batches."""

import jax
import jax.numpy as jnp
import pgx
from reporting import show

for name in ("tic_tac_toe", "connect_four", "2048"):
    env = pgx.make(name)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 3))
    step = jax.jit(jax.vmap(env.step))
    key = jax.random.key(1)
    for _ in range(6):
        key, choosing = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(choosing, logits)
        state = step(state, action, jax.random.split(choosing, 3))
    show(name, [state.rewards, state.observation, state.terminated])
