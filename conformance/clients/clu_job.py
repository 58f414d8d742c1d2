"""clu: metrics gathered over batches, under jit, and the parameters of a model counted."""

import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
from clu import metrics, parameter_overview
from reporting import show


@flax.struct.dataclass
class Metrics(metrics.Collection):
    loss: metrics.Average.from_output("loss")


model = nn.Dense(3)
params = model.init(jax.random.key(0), jnp.ones((1, 4)))


@jax.jit
def evaluate(params, x, labels):
    logits = model.apply(params, x)
    loss = -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)[:, 0]
    return Metrics.single_from_model_output(logits=logits, labels=labels, loss=loss)


found = Metrics.empty()
for i in range(3):
    x = jax.random.normal(jax.random.key(i), (8, 4))
    found = found.merge(evaluate(params, x, jnp.arange(8) % 3))
show("metrics", found.compute())
show("parameters", [parameter_overview.count_parameters(params)])
