"""haiku: modules with parameters and state, trained; recurrent networks; lifted transformations."""

import haiku as hk
import jax
import jax.numpy as jnp
from reporting import show

x = jax.random.normal(jax.random.PRNGKey(1), (16, 3))
y = jnp.sin(x.sum(axis=1, keepdims=True))
net = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([8, 8, 1])(x)))
params = net.init(jax.random.PRNGKey(0), x)


@jax.jit
def step(params):
    value, grads = jax.value_and_grad(lambda p: jnp.mean((net.apply(p, x) - y) ** 2))(params)
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads), value


values = []
for _ in range(10):
    params, value = step(params)
    values.append(value)
show("mlp", values)


def image_net(x, training):
    x = hk.Conv2D(4, 3)(x)
    x = hk.BatchNorm(True, True, 0.9)(x, training)
    x = hk.MaxPool(2, 2, "VALID")(jax.nn.relu(x))
    x = hk.dropout(hk.next_rng_key(), 0.2, x) if training else x
    return hk.Linear(2)(hk.Flatten()(x))


net = hk.transform_with_state(image_net)
image = jax.random.normal(jax.random.PRNGKey(2), (2, 8, 8, 1))
params, state = net.init(jax.random.PRNGKey(0), image, True)
out, state = net.apply(params, state, jax.random.PRNGKey(3), image, True)
show("conv", out)
show("state", state)
lstm = hk.without_apply_rng(
    hk.transform(lambda x: hk.dynamic_unroll(hk.LSTM(4), x, hk.LSTM(4).initial_state(None))[0])
)
params = lstm.init(jax.random.PRNGKey(0), x)
show("lstm", lstm.apply(params, x)[-1])
attention = hk.without_apply_rng(
    hk.transform(
        lambda x: hk.MultiHeadAttention(2, 4, w_init=hk.initializers.VarianceScaling())(x, x, x)
    )
)
show("attention", attention.apply(attention.init(jax.random.PRNGKey(0), x), x)[0])


def scanned(x):
    layer = hk.Linear(3)
    x = layer(x)
    return hk.scan(lambda c, _: (layer(c), None), x, None, length=3)[0]


net = hk.without_apply_rng(hk.transform(scanned))
show("scan", net.apply(net.init(jax.random.PRNGKey(0), x), x)[0])
net = hk.without_apply_rng(hk.transform(lambda x: hk.vmap(hk.Linear(2), split_rng=False)(x)))
show("vmap", net.apply(net.init(jax.random.PRNGKey(0), x), x)[0])
