"""flowjax: an autoregressive flow, fitted to data."""

import jax
import jax.numpy as jnp
from flowjax.distributions import Normal
from flowjax.flows import masked_autoregressive_flow
from flowjax.train import fit_to_data
from reporting import show

data = jax.random.normal(jax.random.key(0), (200, 2)) * jnp.array([1.0, 2.0]) + 1
base = Normal(jnp.zeros(2))
flow = masked_autoregressive_flow(jax.random.key(1), base_dist=base, flow_layers=2, nn_width=8)
show("density", flow.log_prob(data[:3]))
flow, losses = fit_to_data(jax.random.key(2), flow, data, max_epochs=3, show_progress=False)
show("losses", losses)
show("sample", flow.sample(jax.random.key(4), (2,)))
