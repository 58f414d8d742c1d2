"""diffrax: ordinary, stiff and stochastic equations; gradients through solves; a neural differential equation."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from reporting import show


def lotka(t, y, args):
    a, b = args
    return jnp.array([a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - a * y[1]])


def solve(args, solver=None, **options):
    return diffrax.diffeqsolve(
        diffrax.ODETerm(lotka),
        solver or diffrax.Tsit5(),
        0.0,
        3.0,
        0.1,
        jnp.array([1.0, 0.5]),
        args=args,
        **options,
    )


args = (1.0, 1.5)
for solver in (diffrax.Euler(), diffrax.Heun(), diffrax.Tsit5(), diffrax.Dopri8()):
    show(type(solver).__name__, solve(args, solver).ys)
adaptive = diffrax.PIDController(rtol=1e-5, atol=1e-6)
show("adaptive", solve(args, stepsize_controller=adaptive).ys)
ts = jnp.linspace(0.0, 3.0, 7)
show("saved", solve(args, stepsize_controller=adaptive, saveat=diffrax.SaveAt(ts=ts)).ys)
dense = solve(args, saveat=diffrax.SaveAt(dense=True))
show("dense", dense.evaluate(1.234))
implicit = diffrax.PIDController(rtol=1e-4, atol=1e-4)
show("Kvaerno5", solve(args, diffrax.Kvaerno5(), stepsize_controller=implicit).ys)
event = diffrax.Event(lambda t, y, args, **_: y[1] - 1.0)
show("event", solve(args, event=event).ts)

total = lambda args, **o: jnp.sum(solve(args, stepsize_controller=adaptive, **o).ys)  # noqa: E731
show("gradient", jax.grad(total)(args))
show("gradient under jit", jax.jit(jax.grad(total))(args))
show("adjoint", jax.grad(lambda a: total(a, adjoint=diffrax.BacksolveAdjoint()))(args))
show("forward", jax.jvp(lambda a: total(a, adjoint=diffrax.DirectAdjoint()), (args,), (args,)))
show("batch", jax.vmap(lambda b: solve((1.0, b)).ys)(jnp.array([1.0, 1.5])))

path = diffrax.VirtualBrownianTree(0.0, 1.0, tol=1e-2, shape=(), key=jax.random.PRNGKey(0))
terms = diffrax.MultiTerm(
    diffrax.ODETerm(lambda t, y, a: -y), diffrax.ControlTerm(lambda t, y, a: 0.3, path)
)
show("stochastic", diffrax.diffeqsolve(terms, diffrax.EulerHeun(), 0.0, 1.0, 0.05, 1.0).ys)
show(
    "spline",
    diffrax.CubicInterpolation(ts, diffrax.backward_hermite_coefficients(ts, jnp.sin(ts))).evaluate(
        1.1
    ),
)


class Field(eqx.Module):
    mlp: eqx.nn.MLP

    def __call__(self, t, y, args):
        return self.mlp(y)


field = Field(eqx.nn.MLP(2, 2, 8, 1, key=jax.random.PRNGKey(0)))
targets = solve(args, saveat=diffrax.SaveAt(ts=ts)).ys


@eqx.filter_jit
@eqx.filter_value_and_grad
def loss(field):
    found = diffrax.diffeqsolve(
        diffrax.ODETerm(field),
        diffrax.Tsit5(),
        0.0,
        3.0,
        0.1,
        targets[0],
        saveat=diffrax.SaveAt(ts=ts),
    ).ys
    return jnp.mean((found - targets) ** 2)


values = []
for _ in range(5):
    value, grads = loss(field)
    field = eqx.apply_updates(field, jax.tree_util.tree_map(lambda g: -0.02 * g, grads))
    values.append(value)
show("neural", values)
