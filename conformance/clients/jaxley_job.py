"""jaxley: a neuron with branches, stimulated, with the derivative of its voltage."""

import jax
import jax.numpy as jnp
import jaxley as jx
from jaxley.channels import HH
from reporting import show

jax.config.update("jax_enable_x64", True)
compartment = jx.Compartment()
branch = jx.Branch(compartment, ncomp=2)
cell = jx.Cell(branch, parents=[-1, 0, 0])
cell.insert(HH())
cell.branch(0).loc(0.0).stimulate(
    jx.step_current(i_delay=0.5, i_dur=1.0, i_amp=0.2, delta_t=0.025, t_max=3.0)
)
cell.branch(2).loc(1.0).record()
show("voltage", jx.integrate(cell)[:, ::10])
cell.branch("all").make_trainable("radius")
parameters = cell.get_parameters()
loss = jax.jit(jax.value_and_grad(lambda params: jnp.mean(jx.integrate(cell, params=params)[0])))
show("gradient", loss(parameters))
