"""Logistic regression by Newton's method, with standard errors from the same Hessian.

python examples/methods/newton_logistic.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.scipy.special import expit
from treadle.scipy.stats import norm

treadle.config.update("treadle_enable_x64", True)

TRUE = np.array([-0.5, 1.0, -2.0, 0.0])


def data(count: int) -> tuple[Any, Any]:
    """Rows of features, the first of which is 1, and labels 0 or 1."""
    key = treadle.random.key(0)
    features, labels = treadle.random.split(key)
    x = treadle.random.normal(features, (count, TRUE.size)).at[:, 0].set(1.0)
    y = treadle.random.bernoulli(labels, expit(x @ TRUE)).astype(x.dtype)
    return x, y


def loss(weights: Any, x: Any, y: Any) -> Any:
    """The negative log likelihood."""
    logits = x @ weights
    return tnp.sum(treadle.nn.softplus(logits) - y * logits)


@treadle.jit
def newton(weights: Any, x: Any, y: Any) -> Any:
    """One step, and the size of the gradient before it."""
    gradient = treadle.grad(loss)(weights, x, y)
    hessian = treadle.hessian(loss)(weights, x, y)
    return weights - tnp.linalg.solve(hessian, gradient), tnp.linalg.norm(gradient)


def main() -> None:
    """Fit, and print the table that a statistician expects."""
    x, y = data(2000)
    weights = tnp.zeros(TRUE.size)
    for step in range(20):
        weights, gradient = newton(weights, x, y)
        print(f"step {step}: gradient {float(gradient):.1e}")
        if gradient < 1e-9:
            break
    covariance = tnp.linalg.inv(treadle.hessian(loss)(weights, x, y))
    errors = tnp.sqrt(tnp.diag(covariance))
    scores = weights / errors
    print("true     estimate  error   p")
    for row in zip(TRUE, weights, errors, 2 * norm.sf(tnp.abs(scores)), strict=True):
        true, estimate, error, p = map(float, row)
        print(f"{true:6.2f}   {estimate:7.3f}  {error:.3f}  {p:.3f}")
    assert float(tnp.max(tnp.abs(weights - TRUE) / errors)) < 4


if __name__ == "__main__":
    main()
