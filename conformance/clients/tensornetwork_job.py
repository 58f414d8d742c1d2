"""tensornetwork: a ring of matrices and a tree, contracted on the backend jax."""

import jax
import jax.numpy as jnp
import numpy as np
import tensornetwork as tn
from reporting import show

tn.set_default_backend("jax")
matrices = [
    jnp.asarray(np.random.default_rng(i).normal(size=(4, 4)), jnp.float32) for i in range(5)
]


def trace(matrices):
    nodes = [tn.Node(each) for each in matrices]
    for one, two in zip(nodes, nodes[1:] + nodes[:1], strict=True):
        one[1] ^ two[0]
    return tn.contractors.greedy(nodes).tensor


show("trace", jax.jit(trace)(matrices))
show("gradient", jax.grad(trace)(matrices))
