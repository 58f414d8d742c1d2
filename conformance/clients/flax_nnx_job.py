"""flax.nnx: modules as Python objects, trained; state split, merged and saved."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from reporting import show

x = jax.random.normal(jax.random.key(1), (16, 3))
y = jnp.sin(x.sum(axis=1, keepdims=True))


class MLP(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(3, 8, rngs=rngs)
        self.norm = nnx.BatchNorm(8, rngs=rngs)
        self.second = nnx.Linear(8, 1, rngs=rngs)

    def __call__(self, x):
        return self.second(nnx.relu(self.norm(self.first(x))))


model = MLP(nnx.Rngs(0))
show("first", model(x)[:2])
optimiser = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)


@nnx.jit
def step(model, optimiser):
    value, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
    optimiser.update(model, grads)
    return value


show("training", [step(model, optimiser) for _ in range(10)])
definition, state = nnx.split(model)
show("merged", nnx.merge(definition, state)(x)[:2])
show("statistics", model.norm.mean[...])
