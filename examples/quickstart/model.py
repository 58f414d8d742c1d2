"""A small convolutional network in plain `treadle.numpy`, for one image at a time: `vmap` batches it."""

from __future__ import annotations

from typing import TypeAlias

import treadle
import treadle.numpy as tnp

Layer: TypeAlias = dict[str, treadle.Array]
Parameters: TypeAlias = dict[str, Layer]

WINDOW = 3


def init(key: treadle.Array, height: int, width: int, classes: int) -> Parameters:
    """Draw the weights: two convolutions, each followed by halving, then two dense layers."""
    sizes = {
        "conv1": (WINDOW * WINDOW, 16),
        "conv2": (WINDOW * WINDOW * 16, 32),
        "dense1": (height // 4 * (width // 4) * 32, 64),
        "dense2": (64, classes),
    }
    keys = treadle.random.split(key, len(sizes))
    return {
        name: {
            "w": treadle.random.normal(keys[i], (rows, columns)) * (2 / rows) ** 0.5,
            "b": tnp.zeros(columns),
        }
        for i, (name, (rows, columns)) in enumerate(sizes.items())
    }


def dense(x: treadle.Array, layer: Layer) -> treadle.Array:
    """A linear layer on the last axis."""
    return x @ layer["w"] + layer["b"]


def convolve(image: treadle.Array, layer: Layer) -> treadle.Array:
    """A convolution as a linear layer on every window: (height, width, channels)."""
    height, width, _ = image.shape
    padded = tnp.pad(image, ((1, 1), (1, 1), (0, 0)))
    shifts = [(i, j) for i in range(WINDOW) for j in range(WINDOW)]
    windows = tnp.concatenate([padded[i : i + height, j : j + width] for i, j in shifts], axis=-1)
    return dense(windows, layer)


def halve(image: treadle.Array) -> treadle.Array:
    """The largest of every 2 by 2 pixels."""
    height, width, channels = image.shape
    largest: treadle.Array = image.reshape(height // 2, 2, width // 2, 2, channels).max(axis=(1, 3))
    return largest


def logits(parameters: Parameters, image: treadle.Array) -> treadle.Array:
    """Return for each class a score of one image (height, width)."""
    x = image[:, :, None]
    x = halve(tnp.maximum(convolve(x, parameters["conv1"]), 0))
    x = halve(tnp.maximum(convolve(x, parameters["conv2"]), 0))
    x = tnp.maximum(dense(x.reshape(-1), parameters["dense1"]), 0)
    return dense(x, parameters["dense2"])


def loss(parameters: Parameters, image: treadle.Array, label: treadle.Array) -> treadle.Array:
    """Cross entropy of one image: minus the log of the probability of its own class."""
    scores = logits(parameters, image)
    surprise: treadle.Array = treadle.nn.logsumexp(scores) - scores[label]
    return surprise


def mean_loss(
    parameters: Parameters, images: treadle.Array, labels: treadle.Array
) -> treadle.Array:
    """Cross entropy over a batch."""
    return tnp.mean(treadle.vmap(loss, in_axes=(None, 0, 0))(parameters, images, labels))
