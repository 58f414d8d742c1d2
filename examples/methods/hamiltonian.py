"""Hamiltonian Monte Carlo: eight schools, eight chains at once.

    python examples/methods/hamiltonian.py

How much does coaching help, at each of eight schools and in general? (D. Rubin 1981.) The model is written with
`scipy.stats`, its gradient drives the trajectories, `vmap` runs the chains, one `scan` each.
Source: R. Neal, MCMC using Hamiltonian dynamics, 2011; R-hat: A. Gelman and D. Rubin 1992, on halves of chains.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax, random
from treadle.scipy.stats import cauchy, norm

EFFECTS = tnp.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = tnp.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
CHAINS, WARM_UP, DRAWS, STEPS, LENGTH = 8, 500, 1000, 12, 0.12


def log_density(state: Any) -> Any:
    """Of the mean, the logarithm of the spread, and eight standardised schools."""
    mean, log_spread, schools = state[0], state[1], state[2:]
    spread = tnp.exp(log_spread)
    prior = norm.logpdf(mean, 0, 5) + cauchy.logpdf(spread, 0, 5) + log_spread
    return (
        prior
        + tnp.sum(norm.logpdf(schools))
        + tnp.sum(norm.logpdf(EFFECTS, mean + spread * schools, ERRORS))
    )


SCALE = tnp.array([4.0, 1.0, *(1.0,) * 8])  # of the state's parts, about


def leapfrog(state: Any, momentum: Any) -> tuple[Any, Any]:
    """A trajectory of some steps."""
    slope = treadle.grad(log_density)

    def step(carry: Any, _: Any) -> Any:
        state, momentum = carry
        momentum = momentum + 0.5 * LENGTH * SCALE * slope(state)
        state = state + LENGTH * SCALE * momentum
        momentum = momentum + 0.5 * LENGTH * SCALE * slope(state)
        return (state, momentum), None

    return lax.scan(step, (state, momentum), None, length=STEPS)[0]


def transition(state: Any, key: Any) -> Any:
    """One trajectory from a random momentum, kept with the probability that its energy says."""
    push, keep = random.split(key)
    momentum = random.normal(push, state.shape)
    new, last = leapfrog(state, momentum)
    before = log_density(state) - 0.5 * momentum @ momentum
    after = log_density(new) - 0.5 * last @ last
    accepted = tnp.log(random.uniform(keep)) < after - before
    return tnp.where(accepted, new, state), (state, accepted)


@treadle.jit
def chain(key: Any) -> Any:
    """All states of one chain, and how often a trajectory was kept."""
    start, steps = random.split(key)
    first = SCALE * random.normal(start, SCALE.shape)
    _, (states, accepted) = lax.scan(transition, first, random.split(steps, WARM_UP + DRAWS))
    return states[WARM_UP:], tnp.mean(accepted[WARM_UP:])


def r_hat(draws: Any) -> Any:
    """Return how much wider all chains are than one half of a chain: 1 where they agree."""
    halves = draws.reshape(2 * CHAINS, DRAWS // 2, -1)
    within = tnp.mean(tnp.var(halves, axis=1, ddof=1), axis=0)
    between = tnp.var(tnp.mean(halves, axis=1), axis=0, ddof=1)
    return tnp.sqrt((within * (DRAWS // 2 - 1) / (DRAWS // 2) + between) / within)


def main() -> None:
    """Run the chains, print the table."""
    states, accepted = treadle.vmap(chain)(random.split(random.key(0), CHAINS))
    worst = float(tnp.max(r_hat(states)))
    print(
        f"{CHAINS} chains of {DRAWS}: {100 * float(tnp.mean(accepted)):.0f}% kept, R-hat {worst:.3f}"
    )
    mean, spread = states[..., 0], tnp.exp(states[..., 1])
    schools = mean[..., None] + spread[..., None] * states[..., 2:]
    print(f"mean effect {float(tnp.mean(mean)):.1f} +- {float(tnp.std(mean)):.1f}")
    print(f"spread {float(tnp.median(spread)):.1f} (median)")
    for name, seen, found in zip("ABCDEFGH", EFFECTS, tnp.mean(schools, axis=(0, 1)), strict=True):
        print(f"school {name}: seen {float(seen):5.1f}, believed {float(found):5.1f}")
    assert worst < 1.03
    assert 3.4 < float(tnp.mean(mean)) < 5.4  # 4.4 in the literature
    assert np.all(np.abs(np.asarray(tnp.mean(schools, axis=(0, 1)))) < 10)


if __name__ == "__main__":
    main()
