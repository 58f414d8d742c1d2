"""ott: entropic transport between point clouds, differentiated through its solver; clusters."""

import jax
from ott.geometry import pointcloud
from ott.problems.linear import linear_problem
from ott.solvers.linear import sinkhorn
from ott.tools import k_means
from reporting import show

xs = jax.random.normal(jax.random.key(0), (20, 2))
ys = jax.random.normal(jax.random.key(1), (25, 2)) + 1


def cost(xs):
    geometry = pointcloud.PointCloud(xs, ys, epsilon=0.1)
    solved = sinkhorn.Sinkhorn()(linear_problem.LinearProblem(geometry))
    return solved.reg_ot_cost, solved.matrix


(value, plan), gradient = jax.jit(jax.value_and_grad(cost, has_aux=True))(xs)
show("cost", value)
show("plan", plan)
show("gradient", gradient)
show("clusters", k_means.k_means(xs, 3, rng=jax.random.key(3)).error)
