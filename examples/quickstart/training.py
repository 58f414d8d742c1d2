"""Everything that is computed: training, prediction, gradients of single images, an ensemble.

Five jitted functions; each becomes one compiled program.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import adam
import model
import numpy as np
from data import Dataset, Floats, Ints

import treadle
import treadle.numpy as tnp
import treadle_runtime

Array = treadle.Array

BATCH = 64
RATE = 3e-3
CHUNK = 600  # images that are looked at together when nothing is learned
MEMBERS = 8


def fresh_state(key: Array, height: int, width: int, classes: int) -> adam.State:
    """New parameters, and Adam's means for them."""
    return adam.start(model.init(key, height, width, classes))


def epoch(
    state: adam.State, key: Array, rate: Array, images: Array, labels: Array
) -> tuple[adam.State, Array]:
    """Go once through the images in random order: a whole epoch is one compiled loop."""
    size = min(BATCH, len(images))
    steps = len(images) // size
    order = treadle.random.permutation(key, len(images))[: steps * size].reshape(steps, size)

    def step(state: adam.State, rows: Array) -> tuple[adam.State, Array]:
        value, gradient = treadle.value_and_grad(model.mean_loss)(
            state.parameters, images[rows], labels[rows]
        )
        return adam.update(state, gradient, rate), value

    state, losses = treadle.lax.scan(step, state, order)
    return state, tnp.mean(losses)


def gradient_norm(parameters: model.Parameters, image: Array, label: Array) -> Array:
    """Return how far one image alone would move the network."""
    gradient = treadle.grad(model.loss)(parameters, image, label)
    return tnp.sqrt(sum(tnp.sum(leaf * leaf) for leaf in treadle.tree.leaves(gradient)))


class Timed:
    """A jitted function that counts its calls and the seconds until their results are there."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls = 0
        self.seconds = 0.0

    def __call__(self, *operands: Any) -> Any:
        """Call it and wait."""
        start = time.perf_counter()
        results = treadle.block_until_ready(self.function(*operands))
        self.seconds += time.perf_counter() - start
        self.calls += 1
        return results

    def spent(self) -> dict[str, float]:
        """Seconds by stage: the runtime's own account of tracing, lowering, compiling; running is the rest."""
        stages = dict.fromkeys(("trace", "lower", "compile"), 0.0)
        for timing in treadle_runtime.timings(self.function):
            for stage in stages:
                stages[stage] += getattr(timing, stage) or 0.0
        return {**stages, "run": max(self.seconds - sum(stages.values()), 0.0)}

    def from_disk(self) -> bool:
        """Return whether every executable came from the cache on disk."""
        return all(timing.from_disk for timing in treadle_runtime.timings(self.function))


# The old state's memory is given to the new one: `donate_argnums`.
train_epoch = Timed(treadle.jit(epoch, donate_argnums=0))
predict = Timed(treadle.jit(treadle.vmap(model.logits, in_axes=(None, 0))))
gradient_norms = Timed(treadle.jit(treadle.vmap(gradient_norm, in_axes=(None, 0, 0))))
# The same functions once more, for eight networks at once: a leading axis on state and key.
train_ensemble = Timed(
    treadle.jit(treadle.vmap(epoch, in_axes=(0, 0, None, None, None)), donate_argnums=0)
)
predict_ensemble = Timed(
    treadle.jit(treadle.vmap(treadle.vmap(model.logits, in_axes=(None, 0)), in_axes=(0, None)))
)
JITTED = {
    "train_epoch": train_epoch,
    "predict": predict,
    "gradient_norms": gradient_norms,
    "train_ensemble": train_ensemble,
    "predict_ensemble": predict_ensemble,
}


def rate_at(number: int, epochs: int) -> np.float32:
    """The learning rate falls along half a cosine."""
    return np.float32(RATE * (1 + math.cos(math.pi * number / epochs)) / 2)


def chunks(*arrays: np.ndarray[Any, Any]) -> Iterator[list[np.ndarray[Any, Any]]]:
    """Pieces of equal length (one compiled program); the last one is filled up with the first rows."""
    count = len(arrays[0])
    size = min(CHUNK, count)
    for start in range(0, count, size):
        rows = np.arange(start, start + size) % count
        yield [array[rows] for array in arrays]


def predicted(parameters: model.Parameters, images: Floats) -> Floats:
    """Scores of many images: (count, classes)."""
    parts = [np.asarray(predict(parameters, piece)) for (piece,) in chunks(images)]
    return np.concatenate(parts)[: len(images)]


def cross_entropy(scores: Floats, labels: Ints) -> float:
    """The mean loss, from scores on the host."""
    top = scores.max(axis=1)
    logs = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
    return float(np.mean(logs - scores[np.arange(len(labels)), labels]))


@dataclass
class Curves:
    """What was measured after each epoch."""

    train_loss: list[float] = field(default_factory=list)
    held_out_loss: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)


@dataclass
class Ensemble:
    """Eight networks that differ only in their random key."""

    losses: Floats  # (epochs, members)
    votes: Ints  # (members, held-out images)
    joint: Ints  # (held-out images,): the class of the highest mean probability


Report = Callable[..., None]


def train(
    train_set: Dataset, held_out: Dataset, epochs: int, seed: int, report: Report
) -> tuple[model.Parameters, Curves]:
    """Train one network; `report` is called after each epoch with what there is to show."""
    keys = treadle.random.split(treadle.random.key(seed), epochs + 1)
    height, width = train_set.images.shape[1:]
    state = fresh_state(keys[0], height, width, len(train_set.names))
    images, labels = tnp.asarray(train_set.images), tnp.asarray(train_set.labels)
    curves = Curves()
    for number in range(epochs):
        state, value = train_epoch(state, keys[number + 1], rate_at(number, epochs), images, labels)
        scores = predicted(state.parameters, held_out.images)
        curves.train_loss.append(float(value))
        curves.held_out_loss.append(cross_entropy(scores, held_out.labels))
        curves.accuracy.append(float(np.mean(scores.argmax(axis=1) == held_out.labels)))
        report(loss=curves.train_loss[-1], accuracy=curves.accuracy[-1])
    return state.parameters, curves


def norms_of(parameters: model.Parameters, images: Floats, labels: Ints) -> Floats:
    """The gradient norm of every image."""
    parts = [np.asarray(gradient_norms(parameters, *piece)) for piece in chunks(images, labels)]
    return np.concatenate(parts)[: len(images)]


def train_many(
    train_set: Dataset, held_out: Dataset, epochs: int, seed: int, report: Report
) -> Ensemble:
    """Train the ensemble: the same functions, batched over state and key."""
    keys = treadle.random.split(treadle.random.key(seed + 1), MEMBERS * (epochs + 1))
    keys = keys.reshape(epochs + 1, MEMBERS)
    height, width = train_set.images.shape[1:]
    state = treadle.vmap(lambda key: fresh_state(key, height, width, len(train_set.names)))(keys[0])
    images, labels = tnp.asarray(train_set.images), tnp.asarray(train_set.labels)
    losses = []
    for number in range(epochs):
        state, values = train_ensemble(
            state, keys[number + 1], rate_at(number, epochs), images, labels
        )
        losses.append(np.asarray(values))
        report(loss=float(losses[-1].mean()))
    parts = [
        np.asarray(predict_ensemble(state.parameters, piece))
        for (piece,) in chunks(held_out.images)
    ]
    scores = np.concatenate(parts, axis=1)[:, : len(held_out.labels)]
    shares = np.exp(scores - scores.max(axis=2, keepdims=True))
    shares /= shares.sum(axis=2, keepdims=True)
    votes = scores.argmax(axis=2).astype(np.int32)
    return Ensemble(np.stack(losses), votes, shares.mean(axis=0).argmax(axis=1).astype(np.int32))


def responses(parameters: model.Parameters, image: Floats) -> tuple[Floats, Floats]:
    """The filters of the first layer (16, 3, 3) and what each makes of one image (16, h, w)."""
    layer = parameters["conv1"]
    seen = tnp.maximum(model.convolve(tnp.asarray(image)[:, :, None], layer), 0)
    filters = np.asarray(layer["w"]).T.reshape(-1, model.WINDOW, model.WINDOW)
    return filters, np.moveaxis(np.asarray(seen), -1, 0)
