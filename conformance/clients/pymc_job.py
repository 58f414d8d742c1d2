"""pymc: a model compiled by PyTensor to JAX: its density, gradient, and NUTS by numpyro and blackjax."""

import jax
import numpy as np
import pymc as pm
from pymc.sampling.jax import get_jaxified_logp, sample_numpyro_nuts
from reporting import show

data = np.random.default_rng(0).normal(1.0, 2.0, size=20)
with pm.Model() as model:
    mu = pm.Normal("mu", 0, 5)
    sigma = pm.HalfNormal("sigma", 3)
    pm.Normal("y", mu, sigma, observed=data)
logp = get_jaxified_logp(model)
show("density", logp([np.array(0.5), np.array(0.1)]))
show("gradient", jax.grad(lambda x: logp([x, np.array(0.1)]))(0.5))
with model:
    trace = sample_numpyro_nuts(draws=50, tune=50, chains=1, random_seed=1, progressbar=False)
show("mean", round(float(trace.posterior["mu"].mean()), 1))
