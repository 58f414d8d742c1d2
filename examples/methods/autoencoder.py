"""A variational autoencoder learns to draw digits.

    python examples/methods/autoencoder.py --plot digits.png

Source: D. Kingma and M. Welling, Auto-Encoding Variational Bayes, 2014.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import treadle
import treadle.numpy as tnp
from treadle import lax, random
from treadle.nn import initializers, sigmoid, silu, softplus

LATENT, HIDDEN, BATCH, EPOCHS = 8, 128, 64, 30
SIZES = {
    "encode": (64, HIDDEN),
    "mean": (HIDDEN, LATENT),
    "scale": (HIDDEN, LATENT),
    "decode": (LATENT, HIDDEN),
    "draw": (HIDDEN, 64),
}


def initial(key: Any) -> dict[str, Any]:
    """Weights by He et al. and offsets of zero."""
    make = initializers.he_normal()
    keys = random.split(key, len(SIZES))
    return {
        name: (make(each, size), tnp.zeros(size[1]))
        for each, (name, size) in zip(keys, SIZES.items(), strict=True)
    }


def layer(params: dict[str, Any], name: str, x: Any) -> Any:
    """An affine map."""
    weights, offset = params[name]
    return x @ weights + offset


def encoded(params: dict[str, Any], image: Any) -> tuple[Any, Any]:
    """Mean and standard deviation of the latent variables."""
    hidden = silu(layer(params, "encode", image))
    return layer(params, "mean", hidden), softplus(layer(params, "scale", hidden)) + 1e-4


def drawn(params: dict[str, Any], latent: Any) -> Any:
    """Logits of the pixels."""
    return layer(params, "draw", silu(layer(params, "decode", latent)))


def loss(params: dict[str, Any], image: Any, key: Any) -> Any:
    """The negative evidence lower bound of one image."""
    mean, deviation = encoded(params, image)
    logits = drawn(params, mean + deviation * random.normal(key, mean.shape))
    surprise = tnp.sum(softplus(logits) - image * logits)
    divergence = 0.5 * tnp.sum(mean**2 + deviation**2 - 1 - 2 * tnp.log(deviation))
    return surprise + divergence


def batch_loss(params: dict[str, Any], images: Any, key: Any) -> Any:
    """The mean over a batch, each image with a key of its own."""
    keys = random.split(key, images.shape[0])
    return tnp.mean(treadle.vmap(loss, in_axes=(None, 0, 0))(params, images, keys))


def epoch(state: Any, images: Any, key: Any) -> Any:
    """Adam (D. Kingma and J. Ba 2015) over all batches in a random order."""
    order, noise = random.split(key)
    count = images.shape[0] // BATCH
    batches = random.permutation(order, images)[: count * BATCH].reshape(count, BATCH, -1)

    def step(state: Any, given: Any) -> Any:
        params, first, second, time = state
        value, slopes = treadle.value_and_grad(batch_loss)(params, *given)
        first = treadle.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slopes)
        second = treadle.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, second, slopes)
        time = time + 1
        rate = 2e-3 * tnp.sqrt(1 - 0.99**time) / (1 - 0.9**time)
        params = treadle.tree.map(
            lambda p, m, v: p - rate * m / (tnp.sqrt(v) + 1e-8), params, first, second
        )
        return (params, first, second, time), value

    state, values = lax.scan(step, state, (batches, random.split(noise, count)))
    return state, tnp.mean(values)


def main() -> None:
    """Train, and draw new digits."""
    parser = argparse.ArgumentParser(description="a variational autoencoder")
    parser.add_argument("--plot", type=Path, help="write a picture of new digits here")
    plot = parser.parse_args().plot
    images = tnp.asarray(load_digits().data.astype(np.float32) / 16)
    key = random.key(0)
    params = initial(key)
    zero = treadle.tree.map(tnp.zeros_like, params)
    state = params, zero, zero, 0.0
    run = treadle.jit(epoch)
    values = []
    for number in range(EPOCHS):
        state, value = run(state, images, random.fold_in(key, number))
        values.append(float(value))
        if number % 10 == 0:
            print(f"epoch {number}: {values[-1]:.2f} nats")
    print(f"epoch {EPOCHS - 1}: {values[-1]:.2f} nats")
    assert values[-1] < values[0] - 10
    latent = random.normal(random.key(1), (8 * 4, LATENT))
    pictures = np.asarray(sigmoid(drawn(state[0], latent))).reshape(4, 8, 8, 8)
    if plot is not None:
        import matplotlib  # noqa: PLC0415 - for the picture only

        matplotlib.use("Agg")
        from matplotlib import pyplot  # noqa: PLC0415 - after the choice of the backend

        sheet = np.pad(pictures, ((0, 0), (0, 0), (1, 1), (1, 1))).transpose(0, 2, 1, 3)
        pyplot.imsave(plot, sheet.reshape(4 * 10, 8 * 10), cmap="gray_r")
        print(f"wrote {plot}")


if __name__ == "__main__":
    main()
