"""jax_cosmo: distances and power spectra, with derivatives by the parameters."""

import jax
import jax.numpy as jnp
import jax_cosmo as jc
from reporting import show

cosmology = jc.Planck15()
scales = jnp.linspace(0.2, 1.0, 6)
show("distance", jc.background.radial_comoving_distance(cosmology, scales))
k = jnp.logspace(-3, 0.5, 16)
show("linear", jc.power.linear_matter_power(cosmology, k))
show("nonlinear", jc.power.nonlinear_matter_power(cosmology, k))
show(
    "by parameters",
    jax.grad(lambda om: jc.power.linear_matter_power(jc.Planck15(Omega_c=om), k).sum())(0.26),
)
