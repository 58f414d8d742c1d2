"""pennylane: circuits differentiated by backpropagation, parameter shifts and the adjoint method, also under jit."""

import jax
import jax.numpy as jnp
import numpy as np
import pennylane as qml
from reporting import show

parameters = jnp.asarray(np.random.default_rng(0).normal(size=(2, 3, 3)), jnp.float32)
x = jnp.array([0.1, 0.2, 0.3])


@qml.qnode(qml.device("default.qubit", wires=3), interface="jax")
def circuit(parameters, x):
    qml.AngleEmbedding(x, wires=range(3))
    qml.StronglyEntanglingLayers(parameters, wires=range(3))
    return qml.expval(qml.PauliZ(0)), qml.probs(wires=[1, 2])


def value(parameters, x):
    return circuit(parameters, x)[0]


show("value", circuit(parameters, x))
show("under jit", jax.jit(circuit)(parameters, x))
show("gradient", jax.grad(value)(parameters, x))
show("gradient under jit", jax.jit(jax.grad(value))(parameters, x))
show("batch", jax.vmap(value, (None, 0))(parameters, jnp.stack([x, 2 * x])))
show("hessian", jax.hessian(value)(parameters, x))

for method in ("parameter-shift", "adjoint"):

    @qml.qnode(qml.device("default.qubit", wires=2), interface="jax", diff_method=method)
    def two(angle):
        qml.RX(angle, 0)
        qml.CNOT([0, 1])
        qml.RY(2 * angle, 1)
        return qml.expval(qml.PauliZ(1))

    show(method, jax.grad(two)(jnp.array(0.4)))
    show(f"{method} under jit", jax.jit(jax.grad(two))(jnp.array(0.4)))


@qml.qnode(qml.device("default.mixed", wires=2), interface="jax")
def mixed(angle):
    qml.RX(angle, 0)
    qml.DepolarizingChannel(0.1, wires=0)
    return qml.density_matrix(0)


show("density matrix", jax.jit(mixed)(jnp.array(0.4)))


@qml.qnode(qml.device("lightning.qubit", wires=2), interface="jax")
def lightning(angle):
    qml.RX(angle, 0)
    qml.CNOT([0, 1])
    return qml.expval(qml.PauliZ(1))


show("another device", jax.grad(lightning)(jnp.array(0.4)))
show("another device under jit", jax.jit(jax.grad(lightning))(jnp.array(0.4)))
