"""Adam (Kingma and Ba, 2015, algorithm 1), over any tree of parameters."""

from __future__ import annotations

from typing import Any, NamedTuple

import treadle
import treadle.numpy as tnp

Tree = Any  # a pytree of arrays: dicts, lists, tuples, in any nesting


class State(NamedTuple):
    """Parameters with the running means of their gradients and of the squares of these."""

    parameters: Tree
    mean: Tree
    square: Tree
    step: treadle.Array


def start(parameters: Tree) -> State:
    """No gradient seen yet."""
    means, squares = (treadle.tree.map(tnp.zeros_like, parameters) for _ in range(2))
    return State(parameters, means, squares, tnp.zeros(()))


def update(state: State, gradient: Tree, rate: Any, b1: float = 0.9, b2: float = 0.999) -> State:
    """One step downhill."""
    step = state.step + 1
    mean = treadle.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state.mean, gradient)
    square = treadle.tree.map(lambda s, g: b2 * s + (1 - b2) * g * g, state.square, gradient)

    def moved(p: treadle.Array, m: treadle.Array, s: treadle.Array) -> treadle.Array:
        size = (m / (1 - b1**step)) / (tnp.sqrt(s / (1 - b2**step)) + 1e-8)
        result: treadle.Array = p - rate * size
        return result

    return State(treadle.tree.map(moved, state.parameters, mean, square), mean, square, step)
