"""flax: linen modules trained, with state, dropout and lifted loops; models saved and loaded; nnx modules."""

import tempfile

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import orbax.checkpoint as ocp
from flax import serialization
from flax.training import checkpoints, train_state
from reporting import show

x = jax.random.normal(jax.random.key(1), (16, 3))
y = jnp.sin(x.sum(axis=1, keepdims=True))


class MLP(nn.Module):
    width: int = 8

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(1)(nn.LayerNorm()(x))


model = MLP()
params = model.init(jax.random.key(0), x)
show("first", model.apply(params, x)[:2])
state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-2))


@jax.jit
def step(state):
    value, grads = jax.value_and_grad(lambda p: jnp.mean((state.apply_fn(p, x) - y) ** 2))(
        state.params
    )
    return state.apply_gradients(grads=grads), value


values = []
for _ in range(10):
    state, value = step(state)
    values.append(value)
show("training", values)
loaded = serialization.from_bytes(params, serialization.to_bytes(state.params))
show("loaded", model.apply(loaded, x)[:2])

with tempfile.TemporaryDirectory() as folder, ocp.StandardCheckpointer() as checkpointer:
    checkpointer.save(f"{folder}/orbax", state.params)
    checkpointer.wait_until_finished()
    abstract = jax.tree_util.tree_map(ocp.utils.to_shape_dtype_struct, state.params)
    loaded = checkpointer.restore(f"{folder}/orbax", abstract)
    show("loaded by orbax", model.apply(loaded, x)[:2])
    checkpoints.save_checkpoint(f"{folder}/flax", state, 1)
    loaded = checkpoints.restore_checkpoint(f"{folder}/flax", state)
    show("loaded by flax", model.apply(loaded.params, x)[:2])


class Images(nn.Module):
    @nn.compact
    def __call__(self, x, training):
        x = nn.Conv(4, (3, 3))(x)
        x = nn.BatchNorm(use_running_average=not training)(x)
        x = nn.max_pool(nn.gelu(x), (2, 2), (2, 2))
        x = nn.Dropout(0.2, deterministic=not training)(x)
        return nn.Dense(2)(x.reshape(x.shape[0], -1))


image = jax.random.normal(jax.random.key(2), (2, 8, 8, 1))
net = Images()
variables = net.init(jax.random.key(0), image, False)
out, updated = net.apply(
    variables, image, True, rngs={"dropout": jax.random.key(3)}, mutable=["batch_stats"]
)
show("images", out)
show("statistics", updated)
attention = nn.MultiHeadDotProductAttention(num_heads=2, qkv_features=4)
show("attention", attention.apply(attention.init(jax.random.key(0), x), x)[0])


class Scanned(nn.Module):
    @nn.compact
    def __call__(self, x):
        cell = nn.scan(
            nn.GRUCell,
            variable_broadcast="params",
            split_rngs={"params": False},
            in_axes=0,
            out_axes=0,
        )(features=4)
        return cell(jnp.zeros(4), x)[0]


show("scan", Scanned().apply(Scanned().init(jax.random.key(0), x), x))
batched = nn.vmap(nn.Dense, variable_axes={"params": 0}, split_rngs={"params": True}, in_axes=0)(
    features=2
)
show("vmap", batched.apply(batched.init(jax.random.key(0), x), x)[:2])
remat = nn.remat(nn.Dense)(features=2)
show("remat", jax.grad(lambda p: remat.apply(p, x).sum())(remat.init(jax.random.key(0), x)))
