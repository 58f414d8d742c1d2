"""jaxkd: trees of points, and their nearest neighbours, with derivatives."""

import jax
import jax.numpy as jnp
import jaxkd
from reporting import show

points = jax.random.normal(jax.random.key(0), (100, 3))
queries = jax.random.normal(jax.random.key(1), (5, 3))
tree = jax.jit(jaxkd.build_tree)(points)
neighbours, distances = jaxkd.query_neighbors(tree, queries, k=4)
show("neighbours", [neighbours, distances])
show("within", jaxkd.count_neighbors(tree, queries, r=1.0))


def nearest(queries):
    indices, _ = jaxkd.query_neighbors(tree, queries, k=3)
    return jnp.sum((points[indices] - queries[:, None]) ** 2)


show("gradient", jax.grad(nearest)(queries))
