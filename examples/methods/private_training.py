"""Training that keeps each example private: gradients of single examples, clipped, with noise.

    python examples/methods/private_training.py

`vmap(grad(loss))` gives the gradient of every example. Each is cut to length 1, so that none can say much about its
example, and the sum gets normal noise. What an observer can learn is bounded by epsilon at delta = 1e-5, here by the
moments of a Gaussian mechanism without the help of sampling, which is safe and not tight.
Source: M. Abadi et al., Deep Learning with Differential Privacy, 2016; I. Mironov, Renyi Differential Privacy, 2017.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import treadle
import treadle.numpy as tnp
from treadle import random
from treadle.nn import log_softmax, one_hot

NOISE, STEPS, RATE, DELTA = 20.0, 60, 4.0, 1e-5


def loss(params: Any, image: Any, label: Any) -> Any:
    """Of one example."""
    weights, offset = params
    return -tnp.sum(one_hot(label, 10) * log_softmax(image @ weights + offset))


def clipped(tree: Any) -> Any:
    """A gradient, no longer than 1."""
    length = tnp.sqrt(sum(tnp.sum(leaf**2) for leaf in treadle.tree.leaves(tree)))
    return treadle.tree.map(lambda leaf: leaf / tnp.maximum(1.0, length), tree)


@treadle.jit
def step(params: Any, images: Any, labels: Any, key: Any) -> Any:
    """One noisy step."""

    def private(image: Any, label: Any) -> Any:
        return clipped(treadle.grad(loss)(params, image, label))

    total = treadle.tree.map(
        lambda leaf: tnp.sum(leaf, axis=0), treadle.vmap(private)(images, labels)
    )
    leaves, structure = treadle.tree.flatten(total)
    keys = random.split(key, len(leaves))
    noisy = [
        leaf + NOISE * random.normal(each, leaf.shape)
        for leaf, each in zip(leaves, keys, strict=True)
    ]
    slopes = treadle.tree.unflatten(structure, noisy)
    return treadle.tree.map(lambda p, g: p - RATE * g / labels.size, params, slopes)


def epsilon(steps: int) -> float:
    """The bound by Renyi divergences, at the best of many orders."""
    orders = np.linspace(1.01, 200, 20_000)
    return float(np.min(steps * orders / (2 * NOISE**2) + math.log(1 / DELTA) / (orders - 1)))


def main() -> None:
    """Train, test, and print the loss of privacy."""
    digits = load_digits()
    images = digits.data.astype(np.float32) / 16
    order = np.random.default_rng(0).permutation(len(images))
    train, test = order[:1500], order[1500:]
    params = tnp.zeros((64, 10)), tnp.zeros(10)
    key = random.key(0)
    for number in range(STEPS):
        params = step(params, images[train], digits.target[train], random.fold_in(key, number))
    found = tnp.argmax(images[test] @ params[0] + params[1], axis=1)
    accuracy = float(tnp.mean(found == digits.target[test]))
    print(f"accuracy {100 * accuracy:.1f}% on {len(test)} digits")
    print(f"private to epsilon = {epsilon(STEPS):.2f} at delta = {DELTA}")
    assert accuracy > 0.8


if __name__ == "__main__":
    main()
