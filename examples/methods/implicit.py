"""The derivative of a solution that a loop finds, without going through the loop.

    python examples/methods/implicit.py

A regression with a penalty is solved by iteration; how its error on other data depends on the penalty follows from
the equation that the solution satisfies (the implicit function theorem): `custom_root` knows it. So the best penalty
is found by gradient descent, at the cost of one more linear system for each step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax

treadle.config.update("treadle_enable_x64", True)

RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=30) * (RNG.random(30) < 0.3)
TRAIN, TEST = RNG.normal(size=(40, 30)), RNG.normal(size=(200, 30))
TRAIN_Y = TRAIN @ WEIGHTS + RNG.normal(size=40)
TEST_Y = TEST @ WEIGHTS + RNG.normal(size=200)


def objective(weights: Any, log_penalty: Any) -> Any:
    """Robust errors and a smooth penalty."""
    errors = TRAIN @ weights - TRAIN_Y
    return tnp.sum(tnp.sqrt(1 + errors**2)) + tnp.exp(log_penalty) * tnp.sum(weights**2)


def fitted(log_penalty: Any) -> Any:
    """Fit the weights by Newton's method, in a loop that is not differentiated."""

    def slope(weights: Any) -> Any:
        return treadle.grad(objective)(weights, log_penalty)

    def solve(function: Any, start: Any) -> Any:
        def body(weights: Any) -> Any:
            step = tnp.linalg.solve(treadle.jacfwd(function)(weights), function(weights))
            shorter = weights - 0.5 ** tnp.arange(10)[:, None] * step
            sizes = tnp.linalg.norm(treadle.vmap(function)(shorter), axis=1)
            return shorter[tnp.argmin(sizes)]

        return lax.while_loop(lambda w: tnp.linalg.norm(function(w)) > 1e-9, body, start)

    def tangent_solve(linear: Any, y: Any) -> Any:
        return tnp.linalg.solve(treadle.jacfwd(linear)(y), y)

    return lax.custom_root(slope, tnp.zeros(30), solve, tangent_solve)


def test_error(log_penalty: Any) -> Any:
    """The mean robust error on other data."""
    return tnp.mean(tnp.sqrt(1 + (TEST @ fitted(log_penalty) - TEST_Y) ** 2))


def main() -> None:
    """Check the derivative, then use it."""
    at, h = 0.5, 1e-5
    derivative = float(treadle.grad(test_error)(at))
    difference = float(test_error(at + h) - test_error(at - h)) / (2 * h)
    print(f"derivative {derivative:.8f}, by differences {difference:.8f}")
    assert abs(derivative - difference) < 1e-7
    second = float(treadle.grad(treadle.grad(test_error))(at))
    print(f"second derivative {second:.6f}")
    step = treadle.jit(treadle.value_and_grad(test_error))
    log_penalty = tnp.array(-4.0)
    for number in range(60):
        value, slope = step(log_penalty)
        if number % 20 == 0:
            print(f"penalty {float(tnp.exp(log_penalty)):7.4f}: error {float(value):.4f}")
        log_penalty = log_penalty - 8.0 * slope
    print(
        f"penalty {float(tnp.exp(log_penalty)):7.4f}: error {float(value):.4f}, slope {float(slope):.0e}"
    )
    assert abs(float(slope)) < 1e-3


if __name__ == "__main__":
    main()
