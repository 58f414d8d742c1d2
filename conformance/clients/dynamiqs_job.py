"""dynamiqs: the equations of Schrödinger and Lindblad, solved and differentiated."""

import dynamiqs as dq
import jax
import jax.numpy as jnp
from reporting import show

dq.set_progress_meter(False)
times = jnp.linspace(0, 1, 5)
spin, ground = dq.sigmax(), dq.basis(2, 0)
show("Schrödinger", dq.sesolve(spin, ground, times, exp_ops=[dq.sigmaz()]).expects)
lowering = dq.destroy(6)


def damped(frequency):
    hamiltonian = frequency * lowering.dag() @ lowering
    jumps = [jnp.sqrt(0.3) * lowering]
    observed = [lowering.dag() @ lowering, lowering]
    return dq.mesolve(hamiltonian, jumps, dq.coherent(6, 1.0), times, exp_ops=observed).expects


show("Lindblad", damped(1.0))
show("gradient", jax.grad(lambda frequency: damped(frequency)[1, -1].imag)(1.0))
modulated = dq.modulated(jnp.cos, spin)
show("modulated", dq.sesolve(modulated, ground, times).states[-1].to_jax())
show("propagator", dq.sepropagator(spin, times).propagators[-1].to_jax())
show("Wigner", dq.wigner(dq.coherent(6, 1.0), npixels=5)[2])
