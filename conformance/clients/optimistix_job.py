"""optimistix: roots, minima, least squares and fixed points, and derivatives through them."""

import jax
import jax.numpy as jnp
import optimistix as optx
from reporting import show


def root(y, a):
    return jnp.array([y[0] ** 2 + y[1] - a, jnp.sin(y[1]) + y[0] - 1.0])


start = jnp.array([1.6, -0.6])
for solver in (optx.Newton(1e-4, 1e-4), optx.Chord(1e-4, 1e-4), optx.Dogleg(1e-4, 1e-4)):
    show(type(solver).__name__, optx.root_find(root, solver, start, 2.0).value)
newton = optx.Newton(1e-4, 1e-4)
show("derivative", jax.jacrev(lambda a: optx.root_find(root, newton, start, a).value)(2.0))
bisection, bounds = optx.Bisection(1e-4, 1e-4), {"lower": 0.0, "upper": 2.0}
show("bisection", optx.root_find(lambda y, _: y**3 - 2, bisection, 1.0, options=bounds).value)


def rosenbrock(y, a):
    return (a - y[0]) ** 2 + 10.0 * (y[1] - y[0] ** 2) ** 2


for solver in (optx.BFGS(1e-4, 1e-4), optx.NelderMead(1e-4, 1e-4)):
    found = optx.minimise(rosenbrock, solver, jnp.array([-0.5, 0.5]), 1.0, max_steps=2000).value
    show(type(solver).__name__, jnp.round(found, 2))
bfgs, near = optx.BFGS(1e-4, 1e-4), jnp.array([0.5, 0.5])
derivative = jax.grad(lambda a: optx.minimise(rosenbrock, bfgs, near, a).value[1])(1.0)
show("derivative of the minimum", jnp.round(derivative, 2))


def residuals(y, data):
    t, z = data
    return y[0] * jnp.exp(-y[1] * t) - z


t = jnp.linspace(0.0, 1.0, 20)
data = t, 2.0 * jnp.exp(-1.5 * t)
for solver in (optx.LevenbergMarquardt(1e-6, 1e-6), optx.GaussNewton(1e-6, 1e-6)):
    show(
        type(solver).__name__,
        jnp.round(optx.least_squares(residuals, solver, jnp.ones(2), data).value, 3),
    )
fixed = optx.FixedPointIteration(1e-6, 1e-6)
show("fixed point", optx.fixed_point(lambda y, a: jnp.cos(a * y), fixed, 0.5, 1.0).value)
show(
    "its derivative",
    jax.grad(lambda a: optx.fixed_point(lambda y, a: jnp.cos(a * y), fixed, 0.5, a).value)(1.0),
)
