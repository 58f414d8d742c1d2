"""dynamax: a hidden Markov model and a linear Gaussian one: sampled, filtered, fitted."""

import jax
import jax.numpy as jnp
from dynamax.hidden_markov_model import GaussianHMM
from dynamax.linear_gaussian_ssm import LinearGaussianSSM
from reporting import show

hmm = GaussianHMM(num_states=3, emission_dim=2)
params, props = hmm.initialize(jax.random.key(0))
states, emissions = hmm.sample(params, jax.random.key(1), num_timesteps=40)
show("sampled", [states, emissions])
posterior = hmm.smoother(params, emissions)
show("smoothed", [posterior.marginal_loglik, posterior.smoothed_probs])
show("most likely", hmm.most_likely_states(params, emissions))
fitted, losses = hmm.fit_em(params, props, emissions, num_iters=3, verbose=False)
show("fitted", [losses, fitted.emissions.means])
show("gradient", jax.grad(lambda x: hmm.marginal_log_prob(params, x))(emissions))

model = LinearGaussianSSM(state_dim=2, emission_dim=1)
params, props = model.initialize(
    jax.random.key(2), dynamics_weights=jnp.array([[0.9, 0.1], [-0.1, 0.9]])
)
states, emissions = model.sample(params, jax.random.key(3), num_timesteps=30)
filtered = model.filter(params, emissions)
show("Kalman", [filtered.marginal_loglik, filtered.filtered_means])
show("Rauch", model.smoother(params, emissions).smoothed_means)
fitted, losses = model.fit_em(params, props, emissions, num_iters=3, verbose=False)
show("fitted model", losses)
