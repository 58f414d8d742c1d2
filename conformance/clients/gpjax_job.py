"""gpjax: the marginal likelihood of a Gaussian process."""

import gpjax
import jax
import jax.numpy as jnp
from reporting import show

jax.config.update("jax_enable_x64", True)
xs = jnp.linspace(0, 1, 20)[:, None]
data = gpjax.Dataset(X=xs, y=jnp.sin(6 * xs))
kernel = gpjax.kernels.RBF()
prior = gpjax.gps.Prior(mean_function=gpjax.mean_functions.Zero(), kernel=kernel)
posterior = prior * gpjax.likelihoods.Gaussian(20)
show("likelihood", gpjax.objectives.conjugate_mll(posterior, data))
predicted = posterior.predict(xs[:3] + 0.02, train_data=data)
show("prediction", predicted.mean)
