"""Solutions of equations with derivatives of their own: custom_linear_solve and custom_root.

A solver is often a loop that has no derivative, or a bad one; the solution has one by the implicit function theorem,
whatever found it. See `treadle_ir.primitives.implicit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from treadle_autodiff import Tangent, linearize_flat, materialise, transpose_program
from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    DTypeError,
    Operand,
    Operands,
    ShapeError,
    bind,
)
from treadle_ir.calling import as_rule, ruled
from treadle_ir.core import unsharded
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import StructureError, flags, functions
from treadle_ir.primitives.implicit import LinearSolve, Root
from treadle_ir.tracing import interpret_unchecked as interpret
from treadle_ir.tree import PyTreeDef, explain_difference, tree_unflatten
from treadle_numpy.lax.control.carries import type_differences
from treadle_numpy.lax.control.staging import (
    Body,
    Split,
    flatten_operands,
    one_tree,
    paths_of,
    stage_body,
    with_common_captures,
)
from treadle_numpy.operands.coerce import operand_type
from treadle_numpy.operands.trees import Tree

__all__ = ["custom_linear_solve", "custom_root"]

# Takes the function that says what is to be solved, and a tree. Any: trees in, trees out.
Solver: TypeAlias = Callable[[Callable[[Any], Any], Any], Any]
_FIX: Final = "return arrays of the shapes and element types that came in; convert with .astype(...) where they differ"


def custom_linear_solve(
    matvec: Callable[[Any], Any],  # Any: of trees
    b: Tree,
    solve: Solver,
    transpose_solve: Solver | None = None,
    symmetric: bool = False,
    has_aux: bool = False,
) -> Tree:
    """Return the solution `x` of the linear equation `matvec(x) = b`, as a solver of yours finds it.

    Derivatives solve the same equation with another right-hand side (forward mode), or the transposed one (reverse
    mode); the solver is not differentiated. They are right where `matvec` is linear and the solver exact. What
    `matvec` closes over is differentiated, too; what only the solver closes over is not.

    Args:
        matvec: the linear map, from trees like `b` to trees like `b`.
        b: the right-hand side, a tree of arrays.
        solve: `solve(matvec, b)` returns `x`.
        transpose_solve: `transpose_solve(vecmat, b)` solves the equation of the transposed map, which it is given.
            For reverse mode; not needed where `symmetric` is set.
        symmetric: the map is its own transpose: `vecmat` is `matvec`.
        has_aux: solvers return a pair `(x, aux)`; `aux`, a tree of arrays, is returned with `x` and has no
            derivative.

    Returns:
        `x`, a tree of arrays like `b`; with `has_aux` the pair `(x, aux)`.

    Raises:
        ArgumentError: `b` is not a tree of arrays, or a function is none.
        StructureError, ShapeError, DTypeError: `matvec` or a solver returns what is not like `b`.
        DerivativeError: when reverse mode needs a `transpose_solve` that is not there.

    Example:
        >>> import numpy as np
        >>> a = np.array([[2.0, 1.0], [0.0, 4.0]], np.float32)
        >>> def solve(matvec, b):
        ...     return np.linalg.inv(a) @ b
        >>> print(custom_linear_solve(lambda x: a @ x, np.array([4.0, 8.0], np.float32), solve))
        [1. 2.]
    """
    name = "custom_linear_solve"
    functions(name, matvec=matvec, solve=solve)
    if transpose_solve is not None:
        functions(name, transpose_solve=transpose_solve)
    flags(name, symmetric=symmetric, has_aux=has_aux)
    leaves, structure = flatten_operands(name, "b", b)
    types = [operand_type(leaf) for leaf in leaves]
    like_b = _Likeness(name, "b", structure, types)

    called = as_rule(f"matvec of {name}", "x", matvec)
    checked_matvec = like_b.checked("matvec", called)
    of_map = like_b.staged("matvec", called, written=matvec)
    split = _pair(name, "solve") if has_aux else one_tree
    of_solve = like_b.staged(
        "solve", as_rule(f"solve of {name}", "matvec, b", solve, checked_matvec), split, solve
    )
    bodies, written = [of_map, of_solve], [matvec, solve]
    if transpose_solve is not None:
        vecmat = (
            checked_matvec
            if symmetric
            else like_b.checked("vecmat", _transposed(of_map, structure))
        )
        split = _pair(name, "transpose_solve") if has_aux else one_tree
        bodies.append(
            like_b.staged(
                "transpose_solve",
                as_rule(f"transpose_solve of {name}", "vecmat, b", transpose_solve, vecmat),
                split,
                transpose_solve,
            )
        )
        written.append(transpose_solve)
    programs, captured = with_common_captures(bodies, written)
    primitive = LinearSolve(
        programs[0],
        programs[1],
        programs[2] if len(programs) > 2 else None,
        len(captured),
        symmetric,
    )
    return _trees(of_solve, bind(primitive, *captured, *leaves), has_aux)


def custom_root(
    f: Callable[[Any], Any],  # Any: of trees
    initial_guess: Tree,
    solve: Solver,
    tangent_solve: Solver,
    has_aux: bool = False,
) -> Tree:
    """Return a root of a function, `x` with `f(x) = 0`, as a solver of yours finds it.

    Its derivatives, of any order, follow from the implicit function theorem: with respect to what `f` closes over,
    at `x`. The solver is not differentiated, nor is `initial_guess`.

    Args:
        f: the function, from trees like the guess to trees like the guess.
        initial_guess: where the solver starts, a tree of arrays of floating or complex elements.
        solve: `solve(f, initial_guess)` returns `x`.
        tangent_solve: `tangent_solve(g, y)` returns the `u` with `g(u) = y`, where `g` is the derivative of `f` at
            `x`, a linear function. For a function of scalars, `lambda g, y: y / g(1.0)`.
        has_aux: `solve` returns a pair `(x, aux)`; `aux`, a tree of arrays, is returned with `x` and has no
            derivative.

    Returns:
        `x`, a tree of arrays like the guess; with `has_aux` the pair `(x, aux)`.

    Raises:
        ArgumentError: the guess is not a tree of arrays, or a function is none.
        DTypeError: the guess has integers.
        StructureError, ShapeError, DTypeError: a function returns what is not like the guess.

    Example:
        >>> import numpy as np
        >>> from treadle_autodiff import grad
        >>> from treadle_numpy import lax
        >>> def square_root(y):
        ...     def newton(f, x):
        ...         return lax.fori_loop(0, 20, lambda i, x: x - f(x) / (2.0 * x), x)
        ...     return custom_root(lambda x: x * x - y, 1.0, newton, lambda g, y: y / g(1.0))
        >>> print(f"{float(square_root(9.0)):.3f} {float(grad(square_root)(9.0)):.4f}")
        3.000 0.1667
    """
    name = "custom_root"
    functions(name, f=f, solve=solve, tangent_solve=tangent_solve)
    flags(name, has_aux=has_aux)
    leaves, structure = flatten_operands(name, "initial_guess", initial_guess)
    types = [operand_type(leaf) for leaf in leaves]
    for path, type in zip(paths_of(structure), types, strict=True):
        if not is_inexact(type.dtype):
            raise DTypeError(
                f"custom_root: initial_guess{path} is {type}, but a root has floating or complex elements",
                fix="start from a float, such as 1.0",
            )
    like_guess = _Likeness(name, "initial_guess", structure, types)
    called = as_rule(f"f of {name}", "x", f)
    checked_f = like_guess.checked("f", called)
    of_function = like_guess.staged("f", called, written=f)
    split = _pair(name, "solve") if has_aux else one_tree
    of_solve = like_guess.staged(
        "solve", as_rule(f"solve of {name}", "f, initial_guess", solve, checked_f), split, solve
    )

    def tangent(x: Tree, y: Tree) -> Tree:
        linearized = linearize_flat(
            lambda *xs: interpret(of_function.program, *of_function.captured, *xs),
            flatten_operands(name, "x", x)[0],
            [True] * len(leaves),
        )

        def g(direction: Tree) -> Tree:
            given = like_guess.flat("the argument of g", direction)
            pushed: list[Tangent] = linearized.tangents(*given)
            return tree_unflatten(structure, [materialise(each) for each in pushed])

        return ruled(f"tangent_solve of {name}", "g, y", tangent_solve, g, y)

    strong = [type.strong() for type in types]
    of_tangent = stage_body(
        f"tangent_solve of {name}",
        tangent,
        (structure, structure),
        [*strong, *strong],
        written=tangent_solve,
    )
    like_guess.check("tangent_solve", of_tangent)
    programs, captured = with_common_captures(
        [of_function, of_solve, of_tangent], [f, solve, tangent_solve]
    )
    primitive = Root(programs[0], programs[1], programs[2], len(captured))
    return _trees(of_solve, bind(primitive, *captured, *leaves), has_aux)


class _Likeness:
    """The trees that functions take and return: like the user's."""

    __slots__ = ("name", "structure", "types", "what")

    def __init__(
        self, name: str, what: str, structure: PyTreeDef, types: Sequence[ArrayType]
    ) -> None:
        self.name = name
        self.what = what
        self.structure = structure
        self.types: Final = unsharded(types)  # what is within is left to the compiler

    def staged(
        self,
        which: str,
        function: Callable[[Any], Any],
        split: Split = one_tree,
        written: object = None,
    ) -> Body:
        """Return a function as a program; what it returns, or the first thing, is like the tree."""
        body = stage_body(
            f"{which} of {self.name}", function, (self.structure,), self.types, split, written
        )
        self.check(which, body)
        return body

    def check(self, which: str, body: Body) -> None:
        """Refuse a program that returns something else."""
        self._refuse(f"{which} must return", body.structures[0], body.result_types[0])

    def flat(self, which: str, tree: Tree) -> list[Operand]:
        """Return the leaves of a tree that must be like this one."""
        leaves, structure = flatten_operands(self.name, f"{which} ", tree)
        self._refuse(f"{which} must be", structure, [operand_type(leaf) for leaf in leaves])
        return leaves

    def checked(self, which: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return the function for solvers: it checks its argument."""

        def checked(tree: Tree) -> Tree:
            self.flat(f"the argument of {which}", tree)
            return function(tree)

        return checked

    def _refuse(self, what: str, structure: PyTreeDef, types: Sequence[ArrayType]) -> None:
        if structure != self.structure:
            lines = "; ".join(explain_difference(self.structure, structure))
            raise StructureError(
                f"{self.name}: {what} the structure of {self.what}, but they differ {lines}",
                fix=f"use the same containers as {self.what} has",
            )
        lines, is_shape = type_differences(structure, self.types, types)
        if lines:
            error = ShapeError if is_shape else DTypeError
            raise error(
                f"{self.name}: {what} the types of {self.what}, but they differ {lines}", fix=_FIX
            )


def _pair(name: str, which: str) -> Split:
    """Takes the pair `(x, aux)` apart that a solver returned."""

    def split(output: Tree) -> tuple[Tree, ...]:
        if not isinstance(output, tuple) or len(output) != 2:
            raise ArgumentError(
                f"{name}: with has_aux=True {which} must return a pair (x, aux), "
                f"but it returned {type(output).__name__}",
                fix="return `x, aux`, or drop has_aux",
            )
        return output

    return split


def _transposed(body: Body, structure: PyTreeDef) -> Callable[[Any], Any]:
    """Return the transpose of a linear function of one tree."""
    count = len(body.captured)
    size = structure.num_leaves

    def vecmat(tree: Tree) -> Tree:
        transposed = transpose_program(
            body.program, [*[False] * count, *[True] * size], [True] * size, instantiate=True
        )
        leaves, _ = flatten_operands("custom_linear_solve", "the argument of vecmat", tree)
        outgoing = interpret(transposed.program, *transposed.captured, *body.captured, *leaves)
        return tree_unflatten(structure, outgoing)

    return vecmat


def _trees(solved: Body, results: Operands, has_aux: bool) -> Tree:
    """Return the solver's result: a tree, or two."""
    left: Sequence[Array | Operand] = results
    trees = []
    for structure in solved.structures:
        trees.append(tree_unflatten(structure, left[: structure.num_leaves]))
        left = left[structure.num_leaves :]
    return tuple(trees) if has_aux else trees[0]
