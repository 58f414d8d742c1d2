"""jaxopt: minimisers, projections, roots, fixed points, least squares, and derivatives through them."""

import jax
import jax.numpy as jnp
import jaxopt
from reporting import show

x = jax.random.normal(jax.random.key(0), (40, 3))
w = jnp.array([1.0, -1.0, 0.5])
y = x @ w + 0.01 * jax.random.normal(jax.random.key(1), (40,))


def ridge(params, l2reg, data):
    x, y = data
    return jnp.mean((x @ params - y) ** 2) + 0.5 * l2reg * jnp.sum(params**2)


start = jnp.zeros(3)
for name, solver in {
    "gradient descent": jaxopt.GradientDescent(ridge, maxiter=200, tol=1e-5),
    "lbfgs": jaxopt.LBFGS(ridge, maxiter=50, tol=1e-5),
    "bfgs": jaxopt.BFGS(ridge, maxiter=50, tol=1e-5),
    "nonlinear cg": jaxopt.NonlinearCG(ridge, maxiter=100, tol=1e-5),
}.items():
    show(name, solver.run(start, 0.1, (x, y)).params)


def solution(l2reg):
    return jaxopt.LBFGS(ridge, maxiter=50, implicit_diff=True).run(start, l2reg, (x, y)).params


show("implicit jacobian", jax.jacrev(solution)(0.1))
lasso = jaxopt.ProximalGradient(
    fun=lambda p, data: jnp.mean((data[0] @ p - data[1]) ** 2),
    prox=jaxopt.prox.prox_lasso,
    maxiter=200,
)
show("lasso", lasso.run(start, 0.05, (x, y)).params)
box = jaxopt.ProjectedGradient(
    fun=lambda p, data: jnp.mean((data[0] @ p - data[1]) ** 2),
    projection=jaxopt.projection.projection_non_negative,
)
show("non-negative", box.run(start, None, (x, y)).params)
show("simplex", jaxopt.projection.projection_simplex(jnp.array([0.5, 1.5, -0.2])))
show("bisection", jaxopt.Bisection(lambda x: x**3 - 2, lower=0.0, upper=2.0).run().params)
show(
    "fixed point",
    jaxopt.FixedPointIteration(lambda x, t: 0.5 * (x + t / x), maxiter=50).run(1.0, 2.0).params,
)
show(
    "derivative of the fixed point",
    jax.grad(
        lambda t: (
            jaxopt.FixedPointIteration(
                lambda x, t: 0.5 * (x + t / x), maxiter=50, implicit_diff=True
            )
            .run(1.0, t)
            .params
        )
    )(2.0),
)
residuals = lambda p: jnp.array([10 * (p[1] - p[0] ** 2), 1 - p[0]])  # noqa: E731
show("gauss-newton", jaxopt.GaussNewton(residuals).run(jnp.array([-1.2, 1.0])).params)
show("levenberg-marquardt", jaxopt.LevenbergMarquardt(residuals).run(jnp.array([-1.2, 1.0])).params)
show("logistic", jaxopt.loss.multiclass_logistic_loss(1, jnp.array([0.1, 0.5, -0.2])))
