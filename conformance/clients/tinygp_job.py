"""tinygp: a Gaussian process by dense and by quasiseparable kernels, with derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
from reporting import show
from tinygp import GaussianProcess, kernels

jax.config.update("jax_enable_x64", True)
random = np.random.default_rng(0)
xs = np.sort(random.uniform(0, 10, 30))
ys = np.sin(xs) + 0.1 * random.normal(size=30)


def process(parameters):
    kernel = jnp.exp(parameters["size"]) * kernels.Matern52(jnp.exp(parameters["scale"]))
    return GaussianProcess(kernel, xs, diag=jnp.exp(parameters["noise"]))


parameters = {"size": 0.0, "scale": 0.1, "noise": -2.0}
loss = jax.jit(jax.value_and_grad(lambda parameters: -process(parameters).log_probability(ys)))
show("loss", loss(parameters))
conditioned = process(parameters).condition(ys, np.linspace(0, 10, 5)).gp
show("condition", [conditioned.loc, conditioned.variance])


def ordered(scale):
    return GaussianProcess(kernels.quasisep.Matern32(scale=scale), xs, diag=0.1)


show("quasiseparable", jax.value_and_grad(lambda scale: ordered(scale).log_probability(ys))(1.5))
show("its condition", ordered(1.5).condition(ys, np.linspace(0, 10, 4)).gp.loc)
