"""probdiffeq: differential equations solved by filters and smoothers, with what the solution is uncertain of."""

import jax
import jax.numpy as jnp
from probdiffeq import ivpsolve, probdiffeq
from reporting import show

jax.config.update("jax_enable_x64", True)


@probdiffeq.ode
def logistic(y, /, *, t):
    return 2 * y * (1 - y)


@probdiffeq.ode
def lotka_volterra(y, /, *, t):
    return jnp.asarray([y[0] * (0.5 - 0.05 * y[1]), y[1] * (0.05 * y[0] - 0.5)])


def solved(field, start, model, strategy, end):
    expand = probdiffeq.jetexpand_ode_padded_scan(num=2)
    coefficients, _ = expand(field, (start,), t=0.0)
    prior = model.prior_wiener_integrated(coefficients)
    constraint = model.constraint_ode_ts1(field)
    solver = probdiffeq.solver_mle(strategy=strategy, constraint=constraint)
    error = probdiffeq.error_residual_std(constraint=constraint)
    solve = ivpsolve.solve_adaptive_save_at(solver=solver, error=error)
    times = jnp.linspace(0.0, end, num=6, endpoint=True)
    return jax.jit(solve)(prior, times, atol=1e-4, rtol=1e-4)


dense = probdiffeq.state_space_model_dense
for name, strategy in {
    "filter": probdiffeq.strategy_filter(),
    "smoother": probdiffeq.strategy_smoother_fixedpoint(),
}.items():
    found = solved(logistic, jnp.asarray(0.1), dense(), strategy, 3.0)
    show(f"{name}: solution", found.u.mean[0])
    show(f"{name}: deviations", found.u.std[0])
    show(f"{name}: steps", found.num_steps)
found = solved(
    lotka_volterra, jnp.asarray([20.0, 20.0]), dense(), probdiffeq.strategy_filter(), 5.0
)
show("animals", found.u.mean[0])
show(
    "coefficients",
    probdiffeq.jetexpand_ode_unroll(num=4)(lotka_volterra, (jnp.asarray([20.0, 20.0]),), t=0.0)[0],
)
