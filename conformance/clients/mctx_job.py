"""mctx: searches of trees by two policies."""

import jax
import jax.numpy as jnp
import mctx
from reporting import show


def recurrent(params, key, action, embedding):
    output = mctx.RecurrentFnOutput(
        reward=jnp.where(action == 1, 1.0, 0.0),
        discount=jnp.full(action.shape, 0.9),
        prior_logits=jnp.zeros((*action.shape, 3)),
        value=embedding,
    )
    return output, embedding + 0.1


root = mctx.RootFnOutput(prior_logits=jnp.zeros((2, 3)), value=jnp.zeros(2), embedding=jnp.zeros(2))
for policy in (mctx.muzero_policy, mctx.gumbel_muzero_policy):
    search = jax.jit(
        lambda key, policy=policy: policy(
            params=(), rng_key=key, root=root, recurrent_fn=recurrent, num_simulations=16
        )
    )
    found = search(jax.random.key(0))
    show(policy.__name__, [found.action, found.action_weights])
