"""nifty.re: a correlated field, its likelihood, and a fit by metric Gaussian variational inference."""

import jax
import jax.numpy as jnp
import nifty.re as jft
import numpy as np
from reporting import show

jax.config.update("jax_enable_x64", True)
maker = jft.CorrelatedFieldMaker("f")
maker.set_amplitude_total_offset(offset_mean=2.0, offset_std=(1e-1, 3e-2))
maker.add_fluctuations(
    (16,),
    distances=1.0 / 16,
    fluctuations=(0.1, 5e-3),
    loglogavgslope=(-1.0, 1e-1),
    flexibility=None,
    asperity=None,
)
field = maker.finalize()
position = jft.random_like(jax.random.PRNGKey(0), field.domain)
show("field", field(position))
data = np.exp(np.asarray(field(position))) + 0.1
gaussian = jft.Gaussian(jnp.asarray(data), lambda x: x / 0.1**2)
likelihood = gaussian.amend(lambda x: jnp.exp(field(x)), domain=field.domain)
show("energy", likelihood(position))
show("metric", likelihood.metric(position, position))
samples, state = jft.optimize_kl(
    likelihood,
    jft.Vector(position),
    key=jax.random.PRNGKey(1),
    n_total_iterations=1,
    n_samples=1,
    # Of ten steps of conjugate gradients the last ones are rounding, magnified.
    draw_linear_kwargs={"cg_name": None, "cg_kwargs": {"absdelta": 1e-3, "maxiter": 4}},
    kl_kwargs={"minimize_kwargs": {"name": None, "maxiter": 2}},
    sample_mode="linear_resample",
)
show("fit", samples.pos.tree)
