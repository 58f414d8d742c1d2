"""optax: a regression trained by several optimisers, with schedules, clipping, weight decay and a line search."""

import jax
import jax.numpy as jnp
import optax
from reporting import show

x = jax.random.normal(jax.random.key(0), (64, 3))
y = jnp.tanh(x @ jnp.array([1.0, -2.0, 0.5])) + 0.1


def loss(params, x, y):
    hidden = jnp.tanh(x @ params["w1"] + params["b1"])
    return jnp.mean(optax.l2_loss(hidden @ params["w2"], y))


def start():
    keys = jax.random.split(jax.random.key(1))
    return {
        "w1": 0.5 * jax.random.normal(keys[0], (3, 8)),
        "b1": jnp.zeros(8),
        "w2": 0.5 * jax.random.normal(keys[1], (8,)),
    }


def train(optimiser, steps=30):
    params = start()
    state = optimiser.init(params)

    @jax.jit
    def step(params, state):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        updates, state = optimiser.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    values = []
    for _ in range(steps):
        params, state, value = step(params, state)
        values.append(value)
    return values[-1], optax.global_norm(params)


schedule = optax.warmup_cosine_decay_schedule(0.0, 0.1, 5, 30)
show("sgd", train(optax.sgd(0.1, momentum=0.9, nesterov=True)))
show("adam", train(optax.adam(1e-2)))
show("adamw", train(optax.adamw(schedule, weight_decay=1e-3)))
show("chain", train(optax.chain(optax.clip_by_global_norm(0.1), optax.rmsprop(1e-2))))
show("lion", train(optax.lion(1e-3)))
show("adafactor", train(optax.adafactor(1e-2)))
show("masked", train(optax.masked(optax.sgd(0.1), {"w1": True, "b1": False, "w2": True})))

solver = optax.lbfgs()
params = start()
state = solver.init(params)
objective = lambda p: loss(p, x, y)  # noqa: E731
value_and_grad = optax.value_and_grad_from_state(objective)
for _ in range(5):
    value, grad = value_and_grad(params, state=state)
    updates, state = solver.update(grad, state, params, value=value, grad=grad, value_fn=objective)
    params = optax.apply_updates(params, updates)
show("lbfgs", objective(params))

logits = jax.random.normal(jax.random.key(2), (6, 4))
labels = jnp.array([0, 1, 2, 3, 0, 1])
show("cross entropy", optax.softmax_cross_entropy_with_integer_labels(logits, labels))
show("huber", optax.huber_loss(logits[:, 0], logits[:, 1]))
show("ema", optax.incremental_update(start(), params, 0.1)["w2"])
