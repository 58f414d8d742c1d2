"""simple_pytree: a model whose attributes are leaves or static, trained under jit."""

import jax
import jax.numpy as jnp
from reporting import show
from simple_pytree import Pytree, dataclass, static_field


@dataclass
class Linear(Pytree):
    weight: jax.Array
    bias: jax.Array
    name: str = static_field(default="linear")

    def __call__(self, x):
        return x @ self.weight + self.bias


class Model(Pytree):
    sizes = static_field()

    def __init__(self, key, *sizes):
        keys = jax.random.split(key, len(sizes))
        self.sizes = sizes
        self.layers = [
            Linear(jax.random.normal(key, (n, m)) / n**0.5, jnp.zeros(m))
            for key, n, m in zip(keys, sizes, sizes[1:], strict=False)
        ]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = jnp.tanh(layer(x))
        return self.layers[-1](x)


x = jnp.linspace(-1, 1, 20)[:, None]


@jax.jit
def step(model, rate):
    loss, slope = jax.value_and_grad(lambda model: jnp.mean((model(x) - jnp.sin(3 * x)) ** 2))(
        model
    )
    return jax.tree.map(lambda p, dp: p - rate * dp, model, slope), loss


model = Model(jax.random.key(0), 1, 8, 1)
losses = []
for _ in range(20):
    model, loss = step(model, 0.1)
    losses.append(loss)
show("losses", losses)
show("predictions", model(x))
show("replaced", model.layers[0].replace(bias=jnp.ones(8)))
models = jax.vmap(lambda key: Model(key, 1, 4, 1))(jax.random.split(jax.random.key(1), 3))
show("ensemble", jax.vmap(lambda model: model(x))(models))
show("static", [len(jax.tree.leaves(model)), *model.sizes])
