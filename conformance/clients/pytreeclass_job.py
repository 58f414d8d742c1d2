"""pytreeclass: a frozen model edited by masks and by name, and trained."""

import jax
import jax.numpy as jnp
import pytreeclass as tc
from reporting import show


@tc.autoinit
class Linear(tc.TreeClass):
    weight: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return x @ self.weight + self.bias


class Model(tc.TreeClass):
    def __init__(self, key):
        one, two = jax.random.split(key)
        self.first = Linear(jax.random.normal(one, (1, 8)), jnp.zeros(8))
        self.second = Linear(jax.random.normal(two, (8, 1)), jnp.zeros(1))

    def __call__(self, x):
        return self.second(jnp.tanh(self.first(x)))


x = jnp.linspace(-1, 1, 20)[:, None]


@jax.jit
def step(model):
    loss, slope = jax.value_and_grad(lambda model: jnp.mean((model(x) - x**2) ** 2))(model)
    return jax.tree.map(lambda p, dp: p - 0.1 * dp, model, slope), loss


model = Model(jax.random.key(0))
losses = []
for _ in range(10):
    model, loss = step(model)
    losses.append(loss)
show("losses", losses)
show("positive", model.at[jax.tree.map(lambda x: x > 0, model)].set(0.0))
show("by name", model.at["first"]["bias"].apply(lambda bias: bias + 1))
show("reduced", model.at[...].reduce(lambda total, x: total + jnp.sum(x), initializer=0.0))
masked = tc.tree_mask(model, lambda x: getattr(x, "ndim", 0) < 2)
show("masked", jax.tree.leaves(masked))
show("unmasked", tc.tree_unmask(masked))
