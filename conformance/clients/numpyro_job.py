"""numpyro: densities of models, NUTS, variational inference, predictions."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO, log_likelihood
from numpyro.infer.autoguide import AutoNormal
from numpyro.infer.util import log_density
from reporting import show

x = jnp.linspace(-1.0, 1.0, 20)
y = 0.5 + 2.0 * x + 0.1 * jax.random.normal(jax.random.PRNGKey(0), (20,))


def model(x, y=None):
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    b = numpyro.sample("b", dist.Normal(0.0, 3.0))
    s = numpyro.sample("s", dist.HalfNormal(1.0))
    with numpyro.plate("data", x.shape[0]):
        return numpyro.sample("y", dist.Normal(a + b * x, s), obs=y)


params = {"a": 0.4, "b": 1.9, "s": 0.2}
show("density", log_density(model, (x, y), {}, params)[0])
mcmc = MCMC(NUTS(model), num_warmup=5, num_samples=3, progress_bar=False)
mcmc.run(jax.random.PRNGKey(1), x, y)
show("first samples", mcmc.get_samples())
mcmc = MCMC(NUTS(model), num_warmup=150, num_samples=150, progress_bar=False)
mcmc.run(jax.random.PRNGKey(1), x, y)
samples = mcmc.get_samples()
show(
    "close to the truth",
    jnp.array([abs(samples["a"].mean() - 0.5) < 0.1, abs(samples["b"].mean() - 2.0) < 0.2]),
)
chosen = {"a": jnp.array([0.4, 0.5]), "b": jnp.array([2.0, 1.9]), "s": jnp.array([0.1, 0.2])}
show("likelihoods", log_likelihood(model, chosen, x, y)["y"])
show("predictions", Predictive(model, chosen)(jax.random.PRNGKey(2), x[:3])["y"])
guide = AutoNormal(model)
svi = SVI(model, guide, numpyro.optim.Adam(0.05), Trace_ELBO())
result = svi.run(jax.random.PRNGKey(3), 20, x, y, progress_bar=False)
show("elbo", result.losses)
for each in (
    dist.Gamma(2.0, 3.0),
    dist.Beta(2.0, 3.0),
    dist.StudentT(3.0),
    dist.LogNormal(0.1, 0.5),
):
    show(type(each).__name__, each.log_prob(0.4))
show("dirichlet", dist.Dirichlet(jnp.ones(3)).log_prob(jnp.array([0.2, 0.3, 0.5])))
show("poisson", dist.Poisson(3.0).sample(jax.random.PRNGKey(4), (4,)))
