"""A graph network tells which of two communities a person belongs to, from a handful of known members.

    python examples/methods/graph_network.py

Messages go along the edges of Zachary's karate club (W. Zachary 1977: 34 people, 78 friendships, who split in two after
a quarrel); `segment_sum` adds those that arrive at each person. Two members are labelled, the leaders.
Source of the layer: T. Kipf and M. Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.nn import initializers, log_softmax, relu
from treadle.ops import segment_sum

FRIENDS = """
1-2 1-3 1-4 1-5 1-6 1-7 1-8 1-9 1-11 1-12 1-13 1-14 1-18 1-20 1-22 1-32 2-3 2-4 2-8 2-14 2-18 2-20 2-22 2-31
3-4 3-8 3-9 3-10 3-14 3-28 3-29 3-33 4-8 4-13 4-14 5-7 5-11 6-7 6-11 6-17 7-17 9-31 9-33 9-34 10-34 14-34
15-33 15-34 16-33 16-34 19-33 19-34 20-34 21-33 21-34 23-33 23-34 24-26 24-28 24-30 24-33 24-34 25-26 25-28
25-32 26-32 27-30 27-34 28-34 29-32 29-34 30-33 30-34 31-33 31-34 32-33 32-34 33-34
"""
PEOPLE = 34
WITH_INSTRUCTOR = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 17, 18, 20, 22}
TRUTH = np.array([0 if person + 1 in WITH_INSTRUCTOR else 1 for person in range(PEOPLE)])
KNOWN = np.array([0, PEOPLE - 1])


def edges() -> tuple[Any, Any]:
    """From and to, in both directions, and from each person to himself."""
    pairs = np.array([[int(p) - 1 for p in pair.split("-")] for pair in FRIENDS.split()])
    both = np.concatenate([pairs, pairs[:, ::-1], np.repeat(np.arange(PEOPLE), 2).reshape(-1, 2)])
    return tnp.asarray(both[:, 0]), tnp.asarray(both[:, 1])


SOURCE, TARGET = edges()
DEGREE = segment_sum(tnp.ones(SOURCE.size), TARGET, num_segments=PEOPLE)


def averaged(features: Any) -> Any:
    """Each person's mean over his friends and himself."""
    weights = 1 / tnp.sqrt(DEGREE[SOURCE] * DEGREE[TARGET])
    messages = weights[:, None] * features[SOURCE]
    return segment_sum(messages, TARGET, num_segments=PEOPLE)


def predicted(params: Any) -> Any:
    """Logarithms of probabilities; a person's features are who he is."""
    first, second = params
    hidden = relu(averaged(first))
    return log_softmax(averaged(hidden @ second))


def loss(params: Any) -> Any:
    """Of the two people that are known."""
    return -tnp.mean(predicted(params)[KNOWN, TRUTH[KNOWN]])


@treadle.jit
def step(params: Any) -> Any:
    """Gradient descent with a little weight decay."""
    value, slopes = treadle.value_and_grad(loss)(params)
    return treadle.tree.map(lambda p, g: 0.999 * p - 0.5 * g, params, slopes), value


def main() -> None:
    """Train on two labels, print what is found of the others."""
    make = initializers.glorot_uniform()
    one, two = treadle.random.split(treadle.random.key(3))
    params = make(one, (PEOPLE, 8)), make(two, (8, 2))
    for number in range(300):
        params, value = step(params)
        if number % 100 == 0:
            print(f"step {number}: loss {float(value):.4f}")
    found = np.asarray(tnp.argmax(predicted(params), axis=1))
    right = int((found == TRUTH).sum())
    print(f"{right} of {PEOPLE} people, from 2 labels")
    print("wrong:", *(person + 1 for person in np.flatnonzero(found != TRUTH)))
    assert right >= 30


if __name__ == "__main__":
    main()
