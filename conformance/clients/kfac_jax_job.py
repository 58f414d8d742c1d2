"""kfac_jax: a small network trained by K-FAC, whose curvature it finds in the program of the loss."""

import jax
import jax.numpy as jnp
import kfac_jax
import numpy as np
from kfac_jax._src import tag_graph_matcher
from reporting import show


def evaluated(eqn, values):
    """The results of an equation: kfac_jax 0.0.8 expects of `get_bind_params` what it returned before JAX 0.10."""
    results = eqn.primitive.bind(*values, **eqn.primitive.get_bind_params(eqn.params))
    return results if eqn.primitive.multiple_results else [results]


try:
    _, _ = jax.lax.add_p.get_bind_params({})
except ValueError:
    tag_graph_matcher.eval_jaxpr_eqn = evaluated

random = np.random.default_rng(0)
xs = jnp.asarray(random.normal(size=(32, 4)), jnp.float32)
ys = jnp.asarray(np.tanh(random.normal(size=(32, 2))), jnp.float32)
params = {
    "one": {"w": jnp.asarray(random.normal(size=(4, 8)) / 2, jnp.float32), "b": jnp.zeros(8)},
    "two": {"w": jnp.asarray(random.normal(size=(8, 2)) / 3, jnp.float32), "b": jnp.zeros(2)},
}


def loss(params, batch):
    x, y = batch
    h = jnp.tanh(x @ params["one"]["w"] + params["one"]["b"])
    out = h @ params["two"]["w"] + params["two"]["b"]
    kfac_jax.register_squared_error_loss(out, y)
    return jnp.mean(jnp.sum((out - y) ** 2, axis=-1))


optimizer = kfac_jax.Optimizer(
    value_and_grad_func=jax.value_and_grad(loss),
    l2_reg=0.0,
    value_func_has_aux=False,
    value_func_has_state=False,
    value_func_has_rng=False,
    use_adaptive_learning_rate=True,
    use_adaptive_momentum=True,
    use_adaptive_damping=True,
    initial_damping=1.0,
    num_burnin_steps=0,
    multi_device=False,
)
key = jax.random.PRNGKey(0)
state = optimizer.init(params, key, (xs, ys))
losses = []
for step in range(6):
    key, mine = jax.random.split(key)
    params, state, stats = optimizer.step(params, state, mine, batch=(xs, ys), global_step_int=step)
    losses.append(stats["loss"])
show("losses", losses)
show("parameters", params)
