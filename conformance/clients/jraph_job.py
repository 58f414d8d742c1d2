"""jraph: a graph network, and its derivative."""

import jax
import jax.numpy as jnp
import jraph
from reporting import show

graph = jraph.GraphsTuple(
    nodes=jnp.arange(6.0).reshape(3, 2),
    edges=jnp.ones((4, 1)),
    senders=jnp.array([0, 1, 2, 0]),
    receivers=jnp.array([1, 2, 0, 2]),
    n_node=jnp.array([3]),
    n_edge=jnp.array([4]),
    globals=jnp.ones((1, 1)),
)
network = jraph.GraphNetwork(
    update_edge_fn=lambda *parts: jnp.concatenate(parts, -1).sum(-1, keepdims=True),
    update_node_fn=lambda nodes, sent, received, globals_: nodes + received,
    update_global_fn=lambda nodes, edges, globals_: globals_ + nodes.sum(-1, keepdims=True) + edges,
)
show("network", jax.jit(network)(graph))
show("padded", jraph.pad_with_graphs(graph, 5, 6))
show(
    "gradient",
    jax.grad(lambda nodes: network(graph._replace(nodes=nodes)).globals.sum())(graph.nodes),
)
