"""`jax.example_libraries.optimizers`, for numpyro: optimisers as triples of functions.

`opt_init(params)` gives a state, `opt_update(step, gradients, state)` the next one, `get_params(state)` the parameters.
Step sizes are numbers, or functions of the number of the step.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import treadle.numpy as tnp
from treadle import tree_util

Tree: TypeAlias = Any  # Any: a pytree of arrays
Step: TypeAlias = int
Schedule: TypeAlias = Callable[[Any], Any]
InitFn: TypeAlias = Callable[[Tree], Any]
UpdateFn: TypeAlias = Callable[[Any, Tree, Any], Any]
ParamsFn: TypeAlias = Callable[[Any], Tree]
Triple: TypeAlias = tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]

__all__ = [
    "InitFn",
    "JoinPoint",
    "Optimizer",
    "OptimizerState",
    "ParamsFn",
    "Schedule",
    "Step",
    "UpdateFn",
    "adagrad",
    "adam",
    "adamax",
    "clip_grads",
    "constant",
    "exponential_decay",
    "inverse_time_decay",
    "l2_norm",
    "make_schedule",
    "momentum",
    "nesterov",
    "optimizer",
    "pack_optimizer_state",
    "piecewise_constant",
    "polynomial_decay",
    "rmsprop",
    "rmsprop_momentum",
    "sgd",
    "sm3",
    "unpack_optimizer_state",
]


class OptimizerState(NamedTuple):
    """The states of all parameters: their leaves, the structure of the parameters, and of each one's state."""

    packed_state: Any
    tree_def: Any
    subtree_defs: Any


tree_util.register_pytree_node(
    OptimizerState,
    lambda state: ((state.packed_state,), (state.tree_def, state.subtree_defs)),
    lambda data, children: OptimizerState(children[0], data[0], data[1]),
)


class Optimizer(NamedTuple):
    """The three functions of an optimiser."""

    init_fn: Callable[..., Any]
    update_fn: Callable[..., Any]
    params_fn: Callable[..., Any]


class JoinPoint:
    """One parameter's state, as a leaf of a tree of the parameters' structure."""

    def __init__(self, subtree: Tree) -> None:
        self.subtree = subtree


def optimizer(opt_maker: Callable[..., Triple]) -> Callable[..., Optimizer]:
    """Return an optimiser of trees, from one of single arrays; a decorator of functions that return the three
    functions.
    """

    @functools.wraps(opt_maker)
    def tree_maker(*args: Any, **kwargs: Any) -> Optimizer:
        init, update, get_params = opt_maker(*args, **kwargs)

        def tree_init(params: Tree) -> OptimizerState:
            leaves, structure = tree_util.tree_flatten(params)
            pairs = [tree_util.tree_flatten(init(leaf)) for leaf in leaves]
            return OptimizerState(
                tuple(tuple(state) for state, _ in pairs),
                structure,
                tuple(inner for _, inner in pairs),
            )

        def tree_update(i: Any, gradients: Tree, state: OptimizerState) -> OptimizerState:
            given = state.tree_def.flatten_up_to(gradients)
            updated = [
                tree_util.tree_leaves(update(i, g, tree_util.tree_unflatten(inner, leaves)))
                for g, inner, leaves in zip(
                    given, state.subtree_defs, state.packed_state, strict=True
                )
            ]
            return OptimizerState(tuple(map(tuple, updated)), state.tree_def, state.subtree_defs)

        def tree_params(state: OptimizerState) -> Tree:
            each = [
                get_params(tree_util.tree_unflatten(inner, leaves))
                for inner, leaves in zip(state.subtree_defs, state.packed_state, strict=True)
            ]
            return tree_util.tree_unflatten(state.tree_def, each)

        return Optimizer(tree_init, tree_update, tree_params)

    return tree_maker


def constant(step_size: Any) -> Schedule:
    """The same step size always."""
    return lambda i: step_size


def exponential_decay(step_size: Any, decay_steps: Any, decay_rate: Any) -> Schedule:
    """`step_size * decay_rate ** (i / decay_steps)`."""
    return lambda i: step_size * decay_rate ** (i / decay_steps)


def inverse_time_decay(
    step_size: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False
) -> Schedule:
    """`step_size / (1 + decay_rate * i / decay_steps)`, in steps if `staircase`."""

    def schedule(i: Any) -> Any:
        passed = tnp.floor(i / decay_steps) if staircase else i / decay_steps
        return step_size / (1 + decay_rate * passed)

    return schedule


def polynomial_decay(
    step_size: Any, decay_steps: Any, final_step_size: Any, power: float = 1.0
) -> Schedule:
    """From one step size to another, as a power of the steps that are left."""

    def schedule(i: Any) -> Any:
        left = 1 - tnp.minimum(i, decay_steps) / decay_steps
        return left**power * (step_size - final_step_size) + final_step_size

    return schedule


def piecewise_constant(boundaries: Any, values: Any) -> Schedule:
    """`values[k]` after the first k boundaries.

    Raises:
        ValueError: there is not one value more than boundaries.
    """
    limits, steps = tnp.asarray(boundaries), tnp.asarray(values)
    if not limits.ndim == steps.ndim == 1 or limits.shape[0] != steps.shape[0] - 1:
        raise ValueError("boundaries must have one element less than values")
    return lambda i: steps[tnp.sum(i > limits)]


def make_schedule(scalar_or_schedule: Any) -> Schedule:
    """Return a schedule of a step size, or the schedule that is given.

    Raises:
        TypeError: it is neither.
    """
    if callable(scalar_or_schedule):
        schedule: Schedule = scalar_or_schedule
        return schedule
    if tnp.ndim(scalar_or_schedule) == 0:
        return constant(scalar_or_schedule)
    raise TypeError(f"a step size is a number or a function, got {type(scalar_or_schedule)}")


@optimizer
def sgd(step_size: Any) -> Triple:
    """Steps along the gradient."""
    size = make_schedule(step_size)
    return (lambda x: x), (lambda i, g, x: x - size(i) * g), (lambda x: x)


@optimizer
def momentum(step_size: Any, mass: float) -> Triple:
    """Steps along a decaying sum of gradients."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, velocity = state
        velocity = mass * velocity + g
        return x - size(i) * velocity, velocity

    return (lambda x: (x, tnp.zeros_like(x))), update, (lambda state: state[0])


@optimizer
def nesterov(step_size: Any, mass: float) -> Triple:
    """Momentum that looks one step ahead."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, velocity = state
        velocity = mass * velocity + g
        return x - size(i) * (mass * velocity + g), velocity

    return (lambda x: (x, tnp.zeros_like(x))), update, (lambda state: state[0])


@optimizer
def adagrad(step_size: Any, momentum: float = 0.9) -> Triple:
    """Steps divided by the root of the sum of squared gradients (Duchi, Hazan and Singer 2011)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, total, mean = state
        total = total + tnp.square(g)
        scale = tnp.where(total > 0, 1.0 / tnp.sqrt(total), 0.0)
        mean = (1.0 - momentum) * (g * scale) + momentum * mean
        return x - size(i) * mean, total, mean

    return (lambda x: (x, tnp.zeros_like(x), tnp.zeros_like(x))), update, (lambda state: state[0])


@optimizer
def rmsprop(step_size: Any, gamma: float = 0.9, eps: float = 1e-8) -> Triple:
    """Steps divided by the root of a running mean of squared gradients."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, mean = state
        mean = mean * gamma + tnp.square(g) * (1.0 - gamma)
        return x - size(i) * g / tnp.sqrt(mean + eps), mean

    return (lambda x: (x, tnp.zeros_like(x))), update, (lambda state: state[0])


@optimizer
def rmsprop_momentum(
    step_size: Any, gamma: float = 0.9, eps: float = 1e-8, momentum: float = 0.9
) -> Triple:
    """`rmsprop` with momentum."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, mean, velocity = state
        mean = mean * gamma + tnp.square(g) * (1.0 - gamma)
        velocity = momentum * velocity + size(i) * g / tnp.sqrt(mean + eps)
        return x - velocity, mean, velocity

    return (lambda x: (x, tnp.zeros_like(x), tnp.zeros_like(x))), update, (lambda state: state[0])


@optimizer
def adam(step_size: Any, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Triple:
    """Running means of gradients and of their squares (Kingma and Ba 2015)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, m, v = state
        m = (1 - b1) * g + b1 * m
        v = (1 - b2) * tnp.square(g) + b2 * v
        mhat = m / (1 - tnp.asarray(b1, m.dtype) ** (i + 1))
        vhat = v / (1 - tnp.asarray(b2, m.dtype) ** (i + 1))
        return x - size(i) * mhat / (tnp.sqrt(vhat) + eps), m, v

    return (lambda x: (x, tnp.zeros_like(x), tnp.zeros_like(x))), update, (lambda state: state[0])


@optimizer
def adamax(step_size: Any, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Triple:
    """`adam` with the maximum norm (Kingma and Ba 2015)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, m, v = state
        m = (1 - b1) * g + b1 * m
        v = tnp.maximum(b2 * v, tnp.abs(g))
        return x - (size(i) / (1 - tnp.asarray(b1, m.dtype) ** (i + 1))) * m / (v + eps), m, v

    return (lambda x: (x, tnp.zeros_like(x), tnp.zeros_like(x))), update, (lambda state: state[0])


@optimizer
def sm3(step_size: Any, momentum: float = 0.9) -> Triple:
    """`adagrad` with one accumulator for each slice of each axis (Anil, Gupta, Koren and Singer 2019)."""
    size = make_schedule(step_size)

    def axis_shape(x: Any, axis: int) -> Any:
        return (1,) * axis + (x.shape[axis],) + (1,) * (x.ndim - axis - 1)

    def update(i: Any, g: Any, state: Any) -> Any:
        x, mean, totals = state
        each = [total.reshape(axis_shape(x, axis)) for axis, total in enumerate(totals)]
        total = functools.reduce(tnp.minimum, each) + tnp.square(g)
        scale = tnp.where(total > 0, 1.0 / tnp.sqrt(total), 0.0)
        mean = (1.0 - momentum) * (g * scale) + momentum * mean
        kept = [
            total.max(tuple(other for other in range(x.ndim) if other != axis))
            for axis in range(x.ndim)
        ]
        return x - size(i) * mean, mean, kept

    def init(x: Any) -> Any:
        return x, tnp.zeros_like(x), [tnp.zeros(n, x.dtype) for n in x.shape]

    return init, update, (lambda state: state[0])


def l2_norm(tree: Tree) -> Any:
    """Return the root of the sum of all squares."""
    return tnp.sqrt(sum(tnp.vdot(x, x) for x in tree_util.tree_leaves(tree)))


def clip_grads(grad_tree: Tree, max_norm: Any) -> Tree:
    """Gradients scaled down to a norm, where theirs is larger."""
    norm = l2_norm(grad_tree)
    return tree_util.tree_map(
        lambda g: tnp.where(norm < max_norm, g, g * (max_norm / norm)), grad_tree
    )


def unpack_optimizer_state(opt_state: OptimizerState) -> Tree:
    """Return the states as a tree of the parameters' structure, whose leaves are `JoinPoint`s."""
    points = [
        JoinPoint(tree_util.tree_unflatten(inner, leaves))
        for inner, leaves in zip(opt_state.subtree_defs, opt_state.packed_state, strict=True)
    ]
    return tree_util.tree_unflatten(opt_state.tree_def, points)


def pack_optimizer_state(marked_pytree: Tree) -> OptimizerState:
    """Return the inverse of `unpack_optimizer_state`."""
    points, structure = tree_util.tree_flatten(marked_pytree)
    pairs = [tree_util.tree_flatten(point.subtree) for point in points]
    return OptimizerState(
        tuple(tuple(state) for state, _ in pairs), structure, tuple(inner for _, inner in pairs)
    )
