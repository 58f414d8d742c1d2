"""Programs of the pool under compositions of transformations, and their twins in NumPy.

A twin is a NumPy function. Its derivatives are central differences of it, its vmap is a loop over rows: none of the
numbers come from treadle, of which only the trees' functions are used here. All but the last functions use public
names alone, so that peers can be asked the same (conformance/peers/laws.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import treadle
import treadle.numpy as tnp
from conformance.programs_pool import Function, Pooled, Tree

if TYPE_CHECKING:
    from treadle_ir import Operand, Program

_ROWS: Final = 2
# Eighth-order central differences: points in units of the step, and their weights.
_STEP: Final = 0.01
_STENCIL: Final = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def drawn(like: Any, level: int, leaf: int) -> Any:
    """Weights, and directions: of a size between one half and one, with both signs."""
    shape = np.shape(like)
    random = np.random.default_rng((level, leaf, *shape))
    return random.uniform(0.5, 1, shape) * random.choice([-1.0, 1.0], shape)


def drawn_tree(tree: Tree, level: int) -> Tree:
    leaves, structure = treadle.tree.flatten(tree)
    return structure.unflatten([drawn(leaf, level, i) for i, leaf in enumerate(leaves)])


def weighted(module: Any, results: Tree, level: int) -> Any:
    """The sum of all results, weighted."""
    leaves = treadle.tree.leaves(results)
    return sum(module.sum(leaf * drawn(leaf, level, i)) for i, leaf in enumerate(leaves))


def axes(arguments: int, level: int) -> tuple[int | None, ...]:
    """Return the `in_axes` of the vmap at `level`: all arguments are mapped, or only every other one."""
    return tuple(0 if level % 2 or i == 0 else None for i in range(arguments))


# --- in treadle ---------------------------------------------------------------------------------------


def transformed(name: str, function: Function, level: int) -> Function:
    if name == "jit":
        return treadle.jit(function)
    if name == "checkpoint":
        checkpointed: Function = treadle.checkpoint(function)
        return checkpointed
    if name == "vmap":

        def vmapped(*arguments: Tree) -> Tree:
            return treadle.vmap(function, in_axes=axes(len(arguments), level))(*arguments)

        return vmapped
    if name == "jvp":

        def pushed(*arguments: Tree) -> Tree:
            return treadle.jvp(function, arguments, drawn_tree(arguments, level))

        return pushed

    def pulled(*arguments: Tree) -> Tree:
        every = tuple(range(len(arguments)))
        return treadle.grad(lambda *xs: weighted(tnp, function(*xs), level), every)(*arguments)

    return pulled


# --- in NumPy -----------------------------------------------------------------------------------------


class Twin:
    """A NumPy function of trees, that can also be asked for the sum of its results with weights."""

    def __init__(self, function: Function, dot: Callable[..., Any] | None = None) -> None:
        self.function = function
        self._dot = dot

    def __call__(self, *arguments: Tree) -> Tree:
        return self.function(*arguments)

    def dot(self, arguments: tuple[Tree, ...], weights: Tree) -> Any:
        """The weighted sum; cheaper than all results where those are a gradient."""
        if self._dot is not None:
            return self._dot(arguments, weights)
        pairs = zip(
            treadle.tree.leaves(self.function(*arguments)),
            treadle.tree.leaves(weights),
            strict=True,
        )
        return sum(np.sum(leaf * weight) for leaf, weight in pairs)


def moved(tree: Tree, direction: Tree, by: float) -> Tree:
    return treadle.tree.map(lambda x, d: x + by * d, tree, direction)


def directional(function: Function, arguments: tuple[Tree, ...], direction: Tree) -> Tree:
    """The derivative of a function in a direction."""
    total: Tree = None
    for points, weight in _STENCIL:
        right = function(*moved(arguments, direction, points * _STEP))
        left = function(*moved(arguments, direction, -points * _STEP))
        part = treadle.tree.map(lambda r, s, w=weight: (r - s) * (w / _STEP), right, left)
        total = part if total is None else treadle.tree.map(np.add, total, part)
    return total


def twin_of(name: str, twin: Twin, level: int) -> Twin:
    if name in ("jit", "checkpoint"):
        return twin
    if name == "vmap":

        def looped(*arguments: Tree) -> Tree:
            mapped = axes(len(arguments), level)

            def row(i: int) -> Tree:
                pairs = zip(arguments, mapped, strict=True)
                return twin(
                    *[x if a is None else treadle.tree.map(lambda y: y[i], x) for x, a in pairs]
                )

            rows = len(treadle.tree.leaves(arguments[0])[0])
            return treadle.tree.map(lambda *each: np.stack(each), *[row(i) for i in range(rows)])

        return Twin(looped)
    if name == "jvp":

        def both(*arguments: Tree) -> Tree:
            return twin(*arguments), directional(twin, arguments, drawn_tree(arguments, level))

        return Twin(both)

    weights: list[Tree] = []  # drawn when the shapes of the results are known

    def scalar(*arguments: Tree) -> Any:
        if not weights:
            weights.append(drawn_tree(twin(*arguments), level))
        return twin.dot(arguments, weights[0])

    def gradient(*arguments: Tree) -> Tree:
        leaves, structure = treadle.tree.flatten(arguments)
        gradients = []
        for i, leaf in enumerate(leaves):
            partial = np.zeros(np.shape(leaf))
            for place in np.ndindex(np.shape(leaf)):
                unit = [np.zeros(np.shape(each)) for each in leaves]
                unit[i][place] = 1
                partial[place] = directional(scalar, arguments, structure.unflatten(unit))
            gradients.append(partial)
        return structure.unflatten(gradients)

    return Twin(gradient, lambda arguments, weights: directional(scalar, arguments, weights))


# --- which, and on what ---------------------------------------------------------------------------------


def applies(pooled: Pooled, composition: tuple[str, ...]) -> bool:
    """Return whether the program's own rules allow `composition`, whose last entry is applied first."""
    derivatives = [name for name in reversed(composition) if name in ("jvp", "grad")]
    if not pooled.reverse:
        return "grad" not in derivatives
    # A custom_vjp function is ordinary once its rule has run.
    return pooled.forward or not derivatives or derivatives[0] == "grad"


def rows_of(arguments: tuple[Tree, ...], level: int) -> tuple[Tree, ...]:
    """Arguments for a vmap: the given ones, and others near them."""

    def stacked(argument: Tree) -> Tree:
        leaves, structure = treadle.tree.flatten(argument)
        return structure.unflatten(
            [
                np.stack([x, *[x + 0.05 * drawn(x, level, i + 10 * r) for r in range(1, _ROWS)]])
                for i, x in enumerate(leaves)
            ]
        )

    mapped = axes(len(arguments), level)
    return tuple(x if a is None else stacked(x) for x, a in zip(arguments, mapped, strict=True))


def program_of(pooled: Pooled, composition: tuple[str, ...]) -> Program:
    """The program of a composition, staged as a jitted function is."""
    function, arguments = composed(pooled, composition)
    # A function of its own: jit remembers what it staged for the other, perhaps in a test before.
    program: Program = treadle.jit(lambda *xs: function(*xs)).trace(*arguments).program
    return program


def composed(pooled: Pooled, composition: tuple[str, ...]) -> tuple[Function, tuple[Tree, ...]]:
    """A program of the pool under a composition, and arguments for it."""
    function, arguments = pooled.program, pooled.arguments
    for level, name in enumerate(reversed(composition), 1):
        function = transformed(name, function, level)
        if name == "vmap":
            arguments = rows_of(arguments, level)
    return function, tuple(treadle.tree.map(tnp.asarray, arguments))


def staged_with_operands(
    pooled: Pooled, composition: tuple[str, ...]
) -> tuple[Program, list[Operand]]:
    """The program of a composition, and the operands that it has with what it captured."""
    from treadle_ir import stage, type_of  # noqa: PLC0415 - a peer has no such module

    function, given = composed(pooled, composition)
    leaves, structure = treadle.tree.flatten(given)
    staged = stage(
        lambda *xs: treadle.tree.leaves(function(*structure.unflatten(xs))), *map(type_of, leaves)
    )
    return staged.program, [*staged.captured, *leaves]


def composed_twin(pooled: Pooled, composition: tuple[str, ...]) -> Tree:
    """Return the results of the same composition in NumPy."""
    twin, arguments = Twin(pooled.twin), pooled.arguments
    for level, name in enumerate(reversed(composition), 1):
        twin = twin_of(name, twin, level)
        if name == "vmap":
            arguments = rows_of(arguments, level)
    return twin(*arguments)
