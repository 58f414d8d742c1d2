"""A Kalman smoother, and the noise of the measurements by the gradient of the likelihood.

    python examples/methods/kalman_smoother.py

A car moves on a line with random accelerations; its place is measured badly. One `scan` goes forward (R. Kalman 1960),
one backward (H. Rauch, F. Tung and C. Striebel 1965). The result solves the complete least squares problem.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.scipy.stats import norm

treadle.config.update("treadle_enable_x64", True)

STEPS = 200
F = tnp.array([[1.0, 1.0], [0.0, 1.0]])  # place and speed
Q = 0.01 * tnp.array([[1 / 3, 1 / 2], [1 / 2, 1.0]])
H = tnp.array([1.0, 0.0])
PRIOR = tnp.zeros(2), 10.0 * tnp.eye(2)


def simulated(noise: float) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """True places, and measured ones."""
    rng = np.random.default_rng(1)
    state = np.zeros(2)
    states = []
    for _ in range(STEPS):
        state = np.asarray(F) @ state + rng.multivariate_normal(np.zeros(2), np.asarray(Q))
        states.append(state)
    places = np.array(states)[:, 0]
    return places, places + noise * rng.normal(size=STEPS)


def forward(measured: Any, noise: Any) -> Any:
    """Filtered means and covariances, those predicted before, and the log likelihood of each measurement."""

    def step(carry: Any, y: Any) -> Any:
        mean, covariance = carry
        mean, covariance = F @ mean, F @ covariance @ F.T + Q
        variance = H @ covariance @ H + noise**2
        gain = covariance @ H / variance
        likelihood = norm.logpdf(y, H @ mean, tnp.sqrt(variance))
        after = mean + gain * (y - H @ mean), covariance - variance * tnp.outer(gain, gain)
        return after, (after, (mean, covariance), likelihood)

    return lax.scan(step, PRIOR, measured)[1]


def smoothed(measured: Any, noise: Any) -> Any:
    """Means and covariances given all measurements."""
    filtered, predicted, _ = forward(measured, noise)

    def step(later: Any, here: Any) -> Any:
        (mean, covariance), (next_mean, next_covariance) = here
        gain = tnp.linalg.solve(next_covariance, F @ covariance).T
        mean = mean + gain @ (later[0] - next_mean)
        covariance = covariance + gain @ (later[1] - next_covariance) @ gain.T
        return (mean, covariance), (mean, covariance)

    last = tuple(x[-1] for x in filtered)
    before = tuple(x[:-1] for x in filtered), tuple(x[1:] for x in predicted)
    _, rest = lax.scan(step, last, before, reverse=True)
    return tuple(tnp.concatenate([x, y[None]]) for x, y in zip(rest, last, strict=True))


def whole_problem(measured: Any, noise: float) -> Any:
    """The same means, by one system of linear equations over all states."""
    blocks = tnp.kron(tnp.eye(STEPS), tnp.eye(2)) - tnp.kron(tnp.eye(STEPS, k=-1), F)
    weights = tnp.kron(tnp.eye(STEPS), tnp.linalg.inv(Q))
    first = tnp.linalg.inv(F @ PRIOR[1] @ F.T + Q)
    weights = weights.at[:2, :2].set(first)
    observe = tnp.kron(tnp.eye(STEPS), H[None, :])
    normal = blocks.T @ weights @ blocks + observe.T @ observe / noise**2
    return tnp.linalg.solve(normal, observe.T @ measured / noise**2).reshape(STEPS, 2)


def main() -> None:
    """Learn the noise, smooth, compare."""
    truth, measured = simulated(noise=2.0)

    @treadle.jit
    @treadle.value_and_grad
    def negative_log_likelihood(log_noise: Any) -> Any:
        return -tnp.mean(forward(measured, tnp.exp(log_noise))[2])

    log_noise = tnp.array(0.0)
    for _ in range(100):
        _, slope = negative_log_likelihood(log_noise)
        log_noise = log_noise - 0.5 * slope
    noise = float(tnp.exp(log_noise))
    print(f"noise of the measurements: {noise:.3f} (true: 2)")
    mean, covariance = treadle.jit(smoothed)(measured, noise)
    error = np.sqrt(np.mean((np.asarray(mean)[:, 0] - truth) ** 2))
    print(
        f"error of the measurements {np.sqrt(np.mean((measured - truth) ** 2)):.3f}, smoothed {error:.3f}"
    )
    inside = np.abs(np.asarray(mean)[:, 0] - truth) < 2 * np.sqrt(np.asarray(covariance)[:, 0, 0])
    print(f"within two deviations: {100 * inside.mean():.0f}%")
    difference = float(tnp.max(tnp.abs(mean - whole_problem(measured, noise))))
    print(f"against the linear system of all states: {difference:.0e}")
    assert difference < 1e-8


if __name__ == "__main__":
    main()
