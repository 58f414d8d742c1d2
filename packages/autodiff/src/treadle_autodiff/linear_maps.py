"""Derivatives of linearized functions, forward and backward, as functions that are trees of their residuals.

So it may leave a jitted function, be a result of a loop or a residual of a rule, as arrays may.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

from treadle_autodiff.checked_tangents import check_cotangents, check_tangents, flatten_along
from treadle_autodiff.layouts import Shown, reshard_like, shown_of
from treadle_autodiff.linearize import Linearized
from treadle_autodiff.tangents import Tangent, Zero, materialise, presented
from treadle_autodiff.transpose import transpose
from treadle_autodiff.user_function import Tree
from treadle_ir import ArrayType, Operand, Operands, Primitive, Program, Sharding, type_of
from treadle_ir.core import OverMesh
from treadle_ir.core.dtypes import is_float0
from treadle_ir.errors import boundary
from treadle_ir.process import deeper, frozen
from treadle_ir.tracing import (
    auto_axes,
    interpret_unchecked as interpret,
    over_mesh,
    over_mesh_of,
    shown_program,
)
from treadle_ir.tree import Partial, PyTreeDef, tangent_structure, tree_unflatten


@final
@frozen
class LinearizedSignature:
    """The signature of a linearized function, without residuals: a linear program from tangents to result tangents."""

    name: str  # of the transformation, for messages
    program: Program
    structure: PyTreeDef  # of the arguments that are differentiated
    types: tuple[ArrayType, ...]  # of their leaves
    nonzero: tuple[bool, ...]  # which leaves have tangents
    results: PyTreeDef
    result_types: tuple[ArrayType, ...]
    has_tangent: tuple[bool, ...]  # per result
    shardings: Shown | None  # of the leaves that have tangents, over explicit axes


def linearized_signature(
    name: str,
    linearized: Linearized,
    leaves: Operands,
    structure: PyTreeDef,
    nonzero: Sequence[bool],
    results: PyTreeDef,
) -> LinearizedSignature:
    """Return the signature of a function that was linearized at `leaves`, with results of a structure."""
    return LinearizedSignature(
        name,
        linearized.program,
        structure,
        tuple([type_of(leaf) for leaf in leaves]),
        tuple(nonzero),
        results,
        tuple([type_of(result) for result in linearized.results]),
        tuple([zero is None for zero in linearized.zero]),
        explicit_shardings_of(leaves, nonzero),
    )


@boundary
@final
@frozen
class ForwardPass:
    """A function from residuals and tangents of the arguments to tangents of the results."""

    of: LinearizedSignature

    @property
    def args(self) -> tuple[Any]:  # Any: as programs are shown
        """The linear program, which is read as `linearized.func.args[0]`."""
        return (shown_program(self.of.program, ()),)

    def __call__(self, residuals: Operands, *tangents: Tree) -> Tree:
        """Return the tangents of the results."""
        of = self.of
        given = flatten_along("the tangents", "tangent ", tangents, "the primals", of.structure)
        checked = check_tangents(f"{of.name}: tangent", of.types, given)
        incoming = [materialise(t) for t, flag in zip(checked, of.nonzero, strict=True) if flag]
        outgoing = iter(interpret(of.program, *residuals, *incoming))
        pushed = [
            presented(next(outgoing) if flag else Zero(type.tangent()), type)
            for type, flag in zip(of.result_types, of.has_tangent, strict=True)
        ]
        return tree_unflatten(tangent_structure(of.results), pushed)


@boundary
@final
@frozen
class BackwardPass:
    """A function from residuals and cotangents of the results to cotangents of the arguments."""

    of: LinearizedSignature

    def __call__(self, residuals: Operands, cotangents: Tree) -> tuple[Tree, ...]:
        """Return the cotangents of the arguments."""
        of = self.of
        given = flatten_along("the cotangents", "cotangent ", cotangents, "the results", of.results)
        checked = check_cotangents(f"{of.name}: cotangent", of.result_types, given)
        incoming = [ct for ct, flag in zip(checked, of.has_tangent, strict=True) if flag]
        outgoing = iter(apply_transpose(of.program, residuals, incoming, of.shardings))
        pulled = [
            presented(next(outgoing) if flag else Zero(type.tangent()), type)
            for type, flag in zip(of.types, of.nonzero, strict=True)
        ]
        arguments: tuple[Tree, ...] = tree_unflatten(tangent_structure(of.structure), pulled)
        return arguments


def forward(of: LinearizedSignature, residuals: Operands) -> Callable[..., Tree]:
    """Return the function of tangents, a tree of its residuals."""
    return Partial(ForwardPass(of), tuple(residuals))


def explicit_shardings_of(leaves: Operands, nonzero: Sequence[bool]) -> Shown | None:
    """Return the shardings over explicit axes of the leaves that have tangents."""
    with over_mesh_of(leaves):
        return shown_of([x for x, flag in zip(leaves, nonzero, strict=True) if flag])


def apply_transpose(
    program: Program, residuals: Operands, cotangents: Sequence[Tangent], shown: Shown | None
) -> Sequence[Tangent]:
    """Transpose a linear program: return the cotangents of its operands other than residuals."""
    if shown is None:
        if not _over_explicit_axes(program):
            return transpose(program, residuals, cotangents)
        # The primals are over no mesh, but intermediate cotangents will be: their axes are automatic, too.
        with auto_axes():
            return transpose(program, residuals, cotangents)
    with over_mesh(shown.mesh):
        # Axes are automatic for intermediate sums; in the end cotangents are sharded as their primals.
        with auto_axes():
            found = transpose(program, residuals, cotangents)
        return [_resharded(ct, each) for ct, each in zip(found, shown.shardings, strict=True)]


def _over_explicit_axes(program: Program) -> bool:
    """Return whether an operation of a program, or of a nested program, is over a mesh with explicit axes."""
    known: dict[object, bool] = program.derived
    found = known.get(_over_explicit_axes)
    if found is None:
        found = False
        classes = {type(equation.primitive) for equation in program.equations}
        if any(
            [
                issubclass(each, OverMesh) or each.programs is not Primitive.programs
                for each in classes
            ]
        ):
            found = any([_is_over_explicit_axes(each.primitive) for each in program.equations])
        known[_over_explicit_axes] = found
    return found


def _is_over_explicit_axes(primitive: Primitive) -> bool:
    if isinstance(primitive, OverMesh):
        return bool(primitive.mesh.explicit_axes)
    with deeper():
        return any(map(_over_explicit_axes, primitive.programs().values()))


def _resharded(ct: Tangent, primal: Sharding | None) -> Tangent:
    """Reshard a cotangent like its primal; a symbolic zero becomes an array if the primal is sharded."""
    if not isinstance(ct, Zero):
        return reshard_like(ct, primal)
    if primal is None or not any(primal.dims) or primal.partial.axes:
        return ct
    has_data = isinstance(ct.type, ArrayType) and not is_float0(ct.type.dtype)
    return reshard_like(materialise(ct), primal) if has_data else ct


def pullback(
    linearized: Linearized,
    cotangents: Sequence[Tangent],
    primals: Operands,
    nonzero: Sequence[bool],
) -> list[Tangent]:
    """Return one cotangent per primal, from one per result; zero where the primal is not differentiated."""
    incoming: list[Tangent | Operand] = [
        ct for ct, zero in zip(cotangents, linearized.zero, strict=True) if zero is None
    ]
    shown = explicit_shardings_of(primals, nonzero)
    outgoing = iter(apply_transpose(linearized.program, linearized.captured, incoming, shown))
    return [
        next(outgoing) if flag else Zero(type_of(primal).tangent())
        for primal, flag in zip(primals, nonzero, strict=True)
    ]
