"""tensorcircuit: a variational circuit on JAX's backend, with noise and gradients."""

import jax
import jax.numpy as jnp
import tensorcircuit as tc
from reporting import show

K = tc.set_backend("jax")


def circuit(params):
    c = tc.Circuit(4)
    for layer in params:
        for i in range(4):
            c.rx(i, theta=layer[i])
        for i in range(3):
            c.rzz(i, i + 1, theta=layer[4 + i])
    return c


def energy(params):
    c = circuit(params)
    bonds = sum(c.expectation_ps(z=[i, i + 1]) for i in range(3))
    return K.real(bonds + sum(c.expectation_ps(x=[i]) for i in range(4)))


params = jax.random.normal(jax.random.key(0), (2, 7))
show("state", circuit(params).state())
show("energy", K.jit(K.value_and_grad(energy))(params))
show("batched", K.vmap(energy)(jnp.stack([params, 2 * params])))
show("Hessian", jax.hessian(lambda x: energy(params.at[0, 0].set(x)))(0.3))
noisy = tc.DMCircuit(2)
noisy.h(0)
noisy.cnot(0, 1)
noisy.depolarizing(0, px=0.1, py=0.1, pz=0.1)
show("density matrix", noisy.state())
