"""quimb: tensor networks on arrays of JAX's; contractions, a circuit, and an optimisation by gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import quimb.tensor as qtn
from reporting import show

jax.config.update("jax_enable_x64", True)
psi = qtn.MPS_rand_state(8, bond_dim=4, seed=0)
psi.apply_to_arrays(jnp.asarray)
show("norm", (psi.H & psi).contract(all, optimize="auto-hq"))
ham = qtn.MPO_ham_heis(8)
ham.apply_to_arrays(jnp.asarray)


def energy(psi):
    return qtn.expec_TN_1D(psi.H, ham, psi)


show("energy", energy(psi))
arrays, skeleton = qtn.pack(psi)
show(
    "gradient",
    jax.jit(jax.grad(lambda arrays: jnp.real(energy(qtn.unpack(arrays, skeleton)))))(arrays),
)
optimizer = qtn.TNOptimizer(
    psi,
    loss_fn=lambda psi, ham: jnp.real(qtn.expec_TN_1D(psi.H, ham, psi)),
    norm_fn=lambda psi: psi / jnp.sqrt(jnp.real(psi.H @ psi)),
    loss_constants={"ham": ham},
    autodiff_backend="jax",
    optimizer="L-BFGS-B",
    progbar=False,
)
best = optimizer.optimize(15)
show("optimised", qtn.expec_TN_1D(best.H, ham, best) / (best.H @ best))


def circuit(angles):
    made = qtn.Circuit(4)
    for i in range(4):
        made.ry(angles[i], i, parametrize=True)
    for i in range(3):
        made.cnot(i, i + 1)
    return made.local_expectation(np.diag([1.0, -1.0]), 3)


show("circuit", circuit([0.1, 0.2, 0.3, 0.4]))
x = qtn.Tensor(jnp.asarray(np.random.default_rng(0).normal(size=(4, 5, 6))), ["a", "b", "c"])
for method in ("svd", "qr", "lq"):
    parts = x.split(["a", "b"], method=method, bond_ind="k")
    show(f"split by {method}", parts.contract(all, output_inds="abc").data)
show("truncated", x.split(["a", "b"], method="svd", max_bond=3, get="values"))
