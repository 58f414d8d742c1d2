"""What the solvers have in common: the equation in vectors, the rule for stopping, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import StructureError, integer, shown
from treadle_ir.process import frozen
from treadle_ir.tree import PyTreeDef, tree_unflatten
from treadle_numpy.lax.control.solves import custom_linear_solve
from treadle_numpy.lax.control.staging import flatten_operands
from treadle_numpy.numpy.contraction.products import matmul, vdot
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.shapes import ravel, reshape
from treadle_numpy.numpy.ufuncs.arithmetic import multiply
from treadle_numpy.numpy.ufuncs.extremes import maximum
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, is_array_like
from treadle_numpy.operands.promote import converted, promote, promote_operands
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import size_of
from treadle_numpy.operands.trees import Tree

# A function of trees, or a matrix. Any: trees in, trees out.
Map: TypeAlias = Callable[[Any], Any] | ArrayLike
VectorMap: TypeAlias = Callable[[Array], Array]
_PRECISION: Final = "highest"  # a residual is a difference of nearly equal numbers


@frozen
class Vectors:
    """Trees of arrays of some shapes as vectors: their elements in a row."""

    structure: PyTreeDef
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[np.dtype[Any], ...]

    @property
    def size(self) -> int:
        """How many elements there are."""
        return sum([size_of(shape) for shape in self.shapes])

    def vector(self, leaves: list[Array]) -> Array:
        """Return the elements of leaves, of one type."""
        if not leaves:
            return array_of(np.zeros(0, np.float32))
        rows = [ravel(array_of(each)) for each in promote_operands(leaves)]
        return rows[0] if len(rows) == 1 else concatenate(rows)

    def tree(self, vector: Array) -> Tree:
        """Return the tree of such elements."""
        leaves, start = [], 0
        for shape, dtype in zip(self.shapes, self.dtypes, strict=True):
            part = vector[start : start + size_of(shape)]
            start += size_of(shape)
            if is_complex(part.dtype) and not is_complex(dtype):
                part = part.real
            leaves.append(reshape(converted(part, dtype), shape))
        return tree_unflatten(self.structure, leaves)

    def read(self, function: str, what: str, tree: Tree) -> Array:
        """Return a tree that a user gave as a vector.

        Raises:
            StructureError, ShapeError: it is not like the right-hand side.
        """
        leaves, structure = flatten_operands(function, what, tree)
        if structure != self.structure:
            raise StructureError(
                f"{function}: {what} has the structure {structure}, but b has {self.structure}",
                fix="give both the same structure",
            )
        arrays = [array_of(each) for each in leaves]
        shapes = tuple([each.shape for each in arrays])
        if shapes != self.shapes:
            raise ShapeError(
                f"{function}: {what} has arrays of shapes {list(shapes)}, but b has {list(self.shapes)}",
                fix="give both the same shapes",
            )
        return self.vector(arrays)

    def map(self, function: str, what: str, of_trees: Callable[[Any], Any]) -> VectorMap:
        """Return a map of trees as a map of vectors, which keeps their type."""

        def of_vectors(vector: Array) -> Array:
            result = self.read(function, f"the result of {what}", of_trees(self.tree(vector)))
            return converted(result, vector.dtype)

        return of_vectors


@frozen
class Stopping:
    """When a solver stops: a residual's norm is at most `tol * norm(b)` or `atol`, or after `maxiter` steps.

    No norm is negative: a tolerance that is asks for as much as one of 0.
    """

    tol: Array
    atol: Array
    maxiter: int

    def squared(self, b: Array) -> Array:
        """Return the square of the norm at which a residual is small enough."""
        tol, atol = maximum(self.tol, 0), maximum(self.atol, 0)
        relative = multiply(multiply(tol, tol), square_norm(b))
        return converted(maximum(relative, multiply(atol, atol)), square_norm(b).dtype)


Solver: TypeAlias = Callable[[VectorMap, VectorMap, Array, Array, Stopping], Array]


def square_norm(x: Array) -> Array:
    """Return the sum of squared absolute values."""
    return vdot(x, x, precision=_PRECISION).real


def inner(x: Array, y: Array) -> Array:
    """Return the scalar product, conjugated in the first vector."""
    return vdot(x, y, precision=_PRECISION)


def solved(
    function: str,
    of_a: Map,
    b: Tree,
    x0: Tree,
    tol: ArrayLike,
    atol: ArrayLike,
    maxiter: int | None,
    of_m: Map | None,
    solver: Solver,
    hermitian: bool,
) -> Tree:
    """Return the solution that a solver finds, as an operation that is differentiated as the solution is."""
    apply, b = _map(function, "A", of_a, b)
    leaves, structure = flatten_operands(function, "b", b)
    arrays = [array_of(promote(function, each, inexact=True)[0]) for each in leaves]
    vectors = Vectors(structure, tuple([x.shape for x in arrays]), tuple([x.dtype for x in arrays]))
    steps = 10 * vectors.size if maxiter is None else integer(function, "maxiter", maxiter)
    if steps < 0:
        raise ArgumentError(f"{function}: maxiter must not be negative, got {steps}")
    stopping = Stopping(_bound(function, "tol", tol), _bound(function, "atol", atol), steps)
    better = (
        (lambda x: x)
        if of_m is None
        else vectors.map(function, "M", _map(function, "M", of_m, b)[0])
    )
    right = vectors.vector(arrays)
    start = multiply(right, 0) if x0 is None else vectors.read(function, "x0", x0)
    start = converted(start, right.dtype)

    def solving(from_guess: bool) -> Callable[[Callable[[Any], Any], Tree], Tree]:
        def solve(matvec: Callable[[Any], Any], given: Tree) -> Tree:
            vector = vectors.read(function, "b", given)
            guess = start if from_guess else multiply(vector, 0)
            applied = vectors.map(function, "A", matvec)
            return vectors.tree(solver(applied, better, vector, guess, stopping))

        return solve

    symmetric = hermitian and not any([is_complex(each.dtype) for each in arrays])
    return custom_linear_solve(
        lambda x: vectors.tree(vectors.read(function, "the result of A", apply(x))),
        tree_unflatten(structure, arrays),
        solving(x0 is not None),
        solving(False),
        symmetric=symmetric,
    )


def _map(function: str, what: str, given: Map, b: Tree) -> tuple[Callable[[Any], Any], Tree]:
    """Return a map as a function, and a right-hand side of its element type where it is a matrix."""
    if callable(given):
        return given, b
    if not is_array_like(given):
        raise ArgumentError(
            f"{function}: {what} must be a function or a square matrix, got {shown(given)}"
        )
    matrix = array_from(function, given, None)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ShapeError(
            f"{function}: {what} must be a function or a square matrix, got shape {matrix.shape}"
        )
    if not is_array_like(b):
        raise ShapeError(
            f"{function}: {what} is a matrix, so b must be an array, got {shown(b)}",
            fix="pass a function of such trees",
        )
    right, matrix = [array_of(x) for x in promote(function, b, matrix, inexact=True)]
    if right.ndim not in (1, 2) or right.shape[0] != matrix.shape[0]:
        raise ShapeError(
            f"{function}: {what} has shape {matrix.shape}, but b has {right.shape}",
            fix="the first axis of b must be as long as the matrix is",
        )
    return (lambda x: matmul(matrix, x, precision=_PRECISION)), right


def _bound(function: str, name: str, given: ArrayLike) -> Array:
    """Return a tolerance."""
    if not is_array_like(given):
        raise ArgumentError(f"{function}: {name} must be a number, got {shown(given)}")
    bound = array_from(function, given, None)
    if bound.ndim or is_complex(bound.dtype):
        raise ArgumentError(
            f"{function}: {name} must be a real number, got an array of shape {bound.shape}, {bound.dtype}"
        )
    return array_of(promote(function, bound, inexact=True)[0])
