"""Gaussian process regression: hyperparameters by the gradient of the evidence, and a picture of the posterior.

    python examples/methods/gaussian_process.py --plot posterior.png

The logarithm of the evidence is differentiated through a Cholesky factor; its second derivatives make Newton's method
possible, with a step that is halved until the evidence grows.
Source: C. Rasmussen and C. Williams, Gaussian Processes for Machine Learning, algorithm 2.1.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.scipy.linalg import cho_factor, cho_solve, solve_triangular

treadle.config.update("treadle_enable_x64", True)

RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(-3, 3, 40))
Y = np.sin(2 * X) + 0.3 * X + RNG.normal(0, 0.2, X.size)


def kernel(log_parameters: Any, x: Any, y: Any) -> Any:
    """The squared exponential kernel; parameters: logarithms of amplitude, length and noise."""
    amplitude, length, _ = tnp.exp(log_parameters)
    return amplitude**2 * tnp.exp(-0.5 * ((x[:, None] - y[None, :]) / length) ** 2)


def factor(log_parameters: Any) -> Any:
    """The Cholesky factor of the data's covariance."""
    noise = tnp.exp(log_parameters[2])
    return cho_factor(kernel(log_parameters, X, X) + noise**2 * tnp.eye(X.size), lower=True)


def negative_log_evidence(log_parameters: Any) -> Any:
    """Return the negative log evidence, which training minimises."""
    lower = factor(log_parameters)
    fit = Y @ cho_solve(lower, Y)
    volume = 2 * tnp.sum(tnp.log(tnp.diag(lower[0])))
    return 0.5 * (fit + volume + X.size * tnp.log(2 * tnp.pi))


def posterior(log_parameters: Any, x: Any) -> tuple[Any, Any]:
    """Mean and standard deviation of the function at some places."""
    lower = factor(log_parameters)
    cross = kernel(log_parameters, X, x)
    mean = cross.T @ cho_solve(lower, Y)
    seen = solve_triangular(lower[0], cross, lower=True)
    variance = tnp.exp(2 * log_parameters[0]) - tnp.sum(seen**2, axis=0)
    return mean, tnp.sqrt(tnp.maximum(variance, 0))


@treadle.jit
def newton_step(parameters: Any) -> Any:
    """Downhill along Newton's direction, made positive definite by the absolute eigenvalues of the Hessian."""
    gradient = treadle.grad(negative_log_evidence)(parameters)
    values, vectors = tnp.linalg.eigh(treadle.hessian(negative_log_evidence)(parameters))
    direction = vectors @ ((vectors.T @ gradient) / tnp.maximum(tnp.abs(values), 1e-3))
    steps = 0.5 ** tnp.arange(12)
    candidates = parameters - steps[:, None] * direction
    evidence = treadle.vmap(negative_log_evidence)(candidates)
    return candidates[tnp.argmin(evidence)]


def main() -> None:
    """Train, print, draw."""
    parser = argparse.ArgumentParser(description="Gaussian process regression")
    parser.add_argument("--plot", type=Path, help="write a picture of the posterior here")
    plot = parser.parse_args().plot
    parameters = tnp.zeros(3)
    steps, size = 0, np.inf
    while size > 1e-8 and steps < 30:
        parameters, steps = newton_step(parameters), steps + 1
        size = float(tnp.linalg.norm(treadle.grad(negative_log_evidence)(parameters)))
    amplitude, length, noise = np.exp(np.asarray(parameters))
    print(f"after {steps} steps of Newton's method the gradient is {size:.0e}")
    print(f"amplitude {amplitude:.3f}, length {length:.3f}, noise {noise:.3f}")
    print(f"log evidence {-float(negative_log_evidence(parameters)):.3f}")
    grid = np.linspace(-3, 3, 200)
    mean, deviation = map(np.asarray, posterior(parameters, tnp.asarray(grid)))
    truth = np.sin(2 * grid) + 0.3 * grid
    inside = np.mean(np.abs(truth - mean) < 2 * deviation)
    print(f"the true function is within two deviations at {100 * inside:.0f}% of places")
    if plot is not None:
        import matplotlib  # noqa: PLC0415 - for the picture only

        matplotlib.use("Agg")
        from matplotlib import pyplot  # noqa: PLC0415 - after the choice of the backend

        figure, axes = pyplot.subplots(figsize=(8, 4))
        axes.fill_between(grid, mean - 2 * deviation, mean + 2 * deviation, alpha=0.25, lw=0)
        axes.plot(grid, mean, label="posterior mean, two deviations")
        axes.plot(grid, truth, "--", color="gray", label="true function")
        axes.plot(X, Y, ".k", label="data")
        axes.legend(frameon=False)
        axes.set(xlabel="x", ylabel="y")
        figure.savefig(plot, dpi=120, bbox_inches="tight")
        print(f"wrote {plot}")


if __name__ == "__main__":
    main()
