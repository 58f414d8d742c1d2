"""netket: the ground state of a chain of spins, by a variational Monte Carlo method and exactly."""

import netket
import numpy as np
from reporting import show

chain = netket.graph.Chain(6)
space = netket.hilbert.Spin(0.5, 6)
hamiltonian = netket.operator.Ising(space, chain, h=1.0)
sampler = netket.sampler.MetropolisLocal(space, n_chains=8)
model = netket.models.RBM(alpha=1)
state = netket.vqs.MCState(sampler, model, n_samples=128, seed=0, sampler_seed=1)
show("energy", np.real(state.expect(hamiltonian).mean))
driver = netket.VMC(
    hamiltonian,
    netket.optimizer.Sgd(0.05),
    variational_state=state,
    preconditioner=netket.optimizer.SR(diag_shift=0.01),
)
driver.run(3, out=None, show_progress=False)
show("after three steps", np.real(state.expect(hamiltonian).mean))
show("exactly", netket.exact.lanczos_ed(hamiltonian)[0])
