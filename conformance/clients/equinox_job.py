"""equinox: networks trained, ensembles, errors at run time, loops with derivatives, models saved and loaded."""

import io

import equinox as eqx
import jax
import jax.numpy as jnp
from reporting import show

key = jax.random.PRNGKey(0)
x = jax.random.normal(jax.random.PRNGKey(1), (32, 3))
y = jnp.sin(x.sum(axis=1, keepdims=True))
model = eqx.nn.MLP(3, 1, 16, 2, key=key)


@eqx.filter_jit
@eqx.filter_value_and_grad
def loss(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


values = []
for _ in range(20):
    value, grads = loss(model, x, y)
    model = eqx.apply_updates(model, jax.tree_util.tree_map(lambda g: -0.1 * g, grads))
    values.append(value)
show("mlp", values)
show("outputs", jax.vmap(model)(x[:4]))

buffer = io.BytesIO()
eqx.tree_serialise_leaves(buffer, model)
buffer.seek(0)
again = eqx.tree_deserialise_leaves(buffer, eqx.nn.MLP(3, 1, 16, 2, key=jax.random.PRNGKey(9)))
show("loaded", again(x[0]))

conv = eqx.nn.Sequential(
    [
        eqx.nn.Conv2d(1, 4, 3, key=key),
        eqx.nn.Lambda(jax.nn.relu),
        eqx.nn.MaxPool2d(2, 2),
        eqx.nn.Lambda(jnp.ravel),
        eqx.nn.Linear(36, 2, key=key),
    ]
)
image = jax.random.normal(jax.random.PRNGKey(2), (1, 8, 8))
show("conv", eqx.filter_jit(conv)(image))
show("conv gradient", eqx.filter_grad(lambda m: m(image).sum())(conv).layers[0].weight)

make = eqx.filter_vmap(lambda key: eqx.nn.MLP(3, 1, 4, 1, key=key))
ensemble = make(jax.random.split(key, 3))
show(
    "ensemble", eqx.filter_vmap(lambda m, x: m(x), in_axes=(eqx.if_array(0), None))(ensemble, x[0])
)

norm = eqx.nn.LayerNorm(3)
show("layer norm", norm(x[0]))
attention = eqx.nn.MultiheadAttention(2, 4, key=key)
q = jax.random.normal(key, (5, 4))
show("attention", attention(q, q, q))
cell = eqx.nn.GRUCell(3, 5, key=key)
show("gru", jax.lax.scan(lambda h, x: (cell(x, h), None), jnp.zeros(5), x)[0])
batch_norm, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(3, axis_name="batch", mode="batch")
out, state = jax.vmap(batch_norm, axis_name="batch", in_axes=(0, None), out_axes=(0, None))(
    x, state
)
show("batch norm", out[:2])


@eqx.filter_jit
def checked(x):
    x = eqx.error_if(x, jnp.any(x < 0), "x must not be negative")
    return jnp.sqrt(x)


show("no error", checked(jnp.array([1.0, 4.0])))
try:
    checked(jnp.array([-1.0, 4.0]))
    show("error", jnp.array(0))
except Exception as error:
    show("error", jnp.array("x must not be negative" in str(error)))


def steps(x, kind):
    def body(carry):
        i, x = carry
        return i + 1, x * jnp.cos(x)

    return eqx.internal.while_loop(
        lambda carry: carry[0] < 5, body, (0, x), max_steps=8, kind=kind
    )[1]


for kind in ("lax", "bounded", "checkpointed"):
    show(f"loop {kind}", steps(0.7, kind))
    if kind != "lax":
        show(f"gradient of loop {kind}", jax.grad(steps)(0.7, kind))

closed = eqx.filter_closure_convert(lambda x: model(x) + 1, x[0])
show("closure", closed(x[1]))
show("jaxpr", jnp.array(eqx.filter_make_jaxpr(lambda x: x + 1)(jnp.array(1.0))[0].in_avals[0].ndim))
show("jvp", eqx.filter_jvp(lambda m: m(x[0]), (model,), (eqx.filter(model, eqx.is_array),)))
show("custom", jax.grad(lambda x: eqx.filter_checkpoint(jnp.sin)(x))(0.5))


class Counter(eqx.Module):
    index: eqx.nn.StateIndex

    def __init__(self):
        self.index = eqx.nn.StateIndex(jnp.array(0))

    def __call__(self, x, state):
        value = state.get(self.index)
        return x + value, state.set(self.index, value + 1)


counter, state = eqx.nn.make_with_state(Counter)()
for _ in range(3):
    out, state = eqx.filter_jit(counter)(jnp.array(1.0), state)
show("state", out)
show("surgery", eqx.tree_at(lambda m: m.layers[0].bias, model, jnp.zeros(16))(x[0]))
