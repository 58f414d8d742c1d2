"""jaxquantum: states, operators and their evolution, with derivatives."""

import jax
import jax.numpy as jnp
import jaxquantum as jqt
from reporting import show

jqt.set_precision("double")
n = 6
a, state = jqt.destroy(n), jqt.coherent(n, 0.8)
show("operators", [(a.dag() @ a).data, jqt.expm(a - a.dag()).data])
times = jnp.linspace(0, 1, 5)
hamiltonian = jqt.tensor(jqt.sigmax(), jqt.identity(3)) + 0.5 * jqt.tensor(
    jqt.identity(2), jqt.num(3)
)
start = jqt.tensor(jqt.basis(2, 0), jqt.basis(3, 1))
options = jqt.SolverOptions.create(progress_meter=False)
show("Schrödinger", jqt.sesolve(hamiltonian, start, times, solver_options=options).data)


def photons(rate):
    decay = jqt.Qarray.from_list([jnp.sqrt(rate) * a])
    states = jqt.mesolve(a.dag() @ a, state.to_dm(), times, c_ops=decay, solver_options=options)
    return jnp.real(jqt.tr((a.dag() @ a) @ states[4]))


show("Lindblad", jax.value_and_grad(photons)(0.3))
show("partial trace", jqt.ptrace(start.to_dm(), 0).data)
show("Wigner", jqt.wigner(state, jnp.linspace(-1, 1, 4), jnp.linspace(-1, 1, 4)))
