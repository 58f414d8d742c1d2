"""A neural differential equation learns how hare and lynx live together, from 21 years of pelts.

    python -m treadle_jax fit.py --plot pelts.png      on treadle
    python fit.py --plot pelts.png                     on JAX

A program of JAX's, with equinox (the network), diffrax (the solver) and optax (the optimiser). The state is the
logarithm of both counts; its derivative by time is a network of it. First the network learns stretches of six years,
each from the count it begins with, all at once; then the whole course, whose start is learnt, too.

Source: R. Chen et al., Neural Ordinary Differential Equations, 2018.
"""

import argparse
import time

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from matplotlib.figure import Figure
from pelts import HARE, LYNX, YEARS

STRETCH = 6  # years
TIMES = np.asarray(YEARS - YEARS[0], np.float32)
LOGS = np.log(np.stack([HARE, LYNX], axis=1)).astype(np.float32)
MEAN, SCALE = LOGS.mean(axis=0), LOGS.std(axis=0)
STATES = (LOGS - MEAN) / SCALE


class Field(eqx.Module):
    """How fast the state changes: a network of the state."""

    network: eqx.nn.MLP

    def __init__(self, key):
        self.network = eqx.nn.MLP(2, 2, 32, 2, jnp.tanh, key=key)

    def __call__(self, t, y, args):
        """The derivative of the state `y`; the time `t` does not matter, and there are no other arguments."""
        return self.network(y)


def course(field, start, times):
    """The states at some times."""
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(field),
        diffrax.Tsit5(),
        times[0],
        times[-1],
        dt0=0.1,
        y0=start,
        saveat=diffrax.SaveAt(ts=times),
        stepsize_controller=diffrax.PIDController(rtol=1e-4, atol=1e-4),
        max_steps=1024,
    )
    return solution.ys


def loss_of_stretches(model, times, stretches):
    """The mean square of what stretches of the course are off by, each begun at its first state."""
    field, _ = model
    found = jax.vmap(course, in_axes=(None, 0, None))(field, stretches[:, 0], times)
    return jnp.mean((found - stretches) ** 2)


def loss_of_course(model, times, states):
    """The same of the whole course, begun at the start that is learnt."""
    field, start = model
    return jnp.mean((course(field, start, times) - states) ** 2)


def train(model, loss, data, optimiser, steps, name):
    """Take steps, and print what they cost, in seconds of the processor: other programs may keep it busy."""
    state = optimiser.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def step(model, state):
        value, gradient = eqx.filter_value_and_grad(loss)(model, *data)
        updates, state = optimiser.update(gradient, state, eqx.filter(model, eqx.is_array))
        return eqx.apply_updates(model, updates), state, value

    begun = time.process_time()
    model, state, value = jax.block_until_ready(step(model, state))
    first = time.process_time() - begun
    print(f"{name}: first loss {float(value):.4f}, first step {first:.2f} s", flush=True)
    begun = time.process_time()
    for _ in range(steps - 1):
        model, state, value = step(model, state)
    value = float(value)
    each = (time.process_time() - begun) / max(steps - 1, 1)
    print(f"{name}: last loss {value:.4f}, {1000 * each:.2f} ms per step", flush=True)
    return model


def plot(model, file):
    """Draw the counts, and the course that was learnt."""
    field, start = model
    times = np.linspace(TIMES[0], TIMES[-1], 400, dtype=np.float32)
    counts = np.exp(np.asarray(eqx.filter_jit(course)(field, start, times)) * SCALE + MEAN)
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for kind, counted, colour in ((0, HARE, "tab:brown"), (1, LYNX, "tab:blue")):
        name = ("hare", "lynx")[kind]
        axes.plot(YEARS, counted, "o", color=colour, label=f"{name}, counted")
        axes.plot(YEARS[0] + times, counts[:, kind], color=colour, label=f"{name}, learnt")
    axes.set(xlabel="year", ylabel="pelts, thousands", xticks=range(1900, 1921, 4))
    axes.legend(ncols=2)
    figure.savefig(file, dpi=110)


def main():
    """Train, and draw where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1500, help="of each of the two trainings")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the counts and the course")
    options = parser.parse_args()
    model = Field(jax.random.PRNGKey(0)), jnp.asarray(STATES[0])
    rate = optax.cosine_decay_schedule(1e-2, options.steps, alpha=0.05)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))
    windows = np.stack([STATES[k : k + STRETCH] for k in range(len(STATES) - STRETCH + 1)])
    data = jnp.asarray(TIMES[:STRETCH]), jnp.asarray(windows)
    model = train(model, loss_of_stretches, data, optimiser, options.steps, "stretches")
    data = jnp.asarray(TIMES), jnp.asarray(STATES)
    model = train(model, loss_of_course, data, optimiser, options.steps, "course")
    print(f"total: {time.process_time():.1f} s, from the start of Python")
    if options.plot is not None:
        plot(model, options.plot)


if __name__ == "__main__":
    main()
