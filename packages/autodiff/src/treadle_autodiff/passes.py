"""The derivative of a linearized function, forward or back, as a function that is a tree of its residuals.

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
from treadle_ir.calling import shown_program
from treadle_ir.core import OverMesh
from treadle_ir.core.dtypes import is_float0
from treadle_ir.errors import boundary
from treadle_ir.process import deeper, frozen
from treadle_ir.tracing import (
    interpret_unchecked as interpret,
    left_to_the_compiler,
    over_mesh,
    over_mesh_of,
)
from treadle_ir.tree import Partial, PyTreeDef, tangent_structure, tree_unflatten


@final
@frozen
class Derivative:
    """What is known of a derivative but its residuals: a linear program from tangents of leaves to those of results."""

    name: str  # of the transformation, for messages
    program: Program
    structure: PyTreeDef  # of the arguments that are differentiated
    types: tuple[ArrayType, ...]  # of their leaves
    nonzero: tuple[bool, ...]  # which leaves have tangents
    results: PyTreeDef
    result_types: tuple[ArrayType, ...]
    has_tangent: tuple[bool, ...]  # per result
    lies: Shown | None  # how the leaves that have tangents do, over explicit axes


def derivative_of(
    name: str,
    linearized: Linearized,
    leaves: Operands,
    structure: PyTreeDef,
    nonzero: Sequence[bool],
    results: PyTreeDef,
) -> Derivative:
    """That of a function which was linearized at some leaves, with results of a structure."""
    return Derivative(
        name,
        linearized.program,
        structure,
        tuple([type_of(leaf) for leaf in leaves]),
        tuple(nonzero),
        results,
        tuple([type_of(result) for result in linearized.results]),
        tuple([zero is None for zero in linearized.zero]),
        lies_of(leaves, nonzero),
    )


@boundary
@final
@frozen
class Forward:
    """From residuals and tangents of the arguments to those of the results."""

    of: Derivative

    @property
    def args(self) -> tuple[Any]:  # Any: as programs are shown
        """The linear program, which is read as `linearized.func.args[0]`."""
        return (shown_program(self.of.program, ()),)

    def __call__(self, residuals: Operands, *tangents: Tree) -> Tree:
        """Tangents of the results."""
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
class Backward:
    """From residuals and cotangents of the results to those of the arguments."""

    of: Derivative

    def __call__(self, residuals: Operands, cotangents: Tree) -> tuple[Tree, ...]:
        """Cotangents of the arguments."""
        of = self.of
        given = flatten_along("the cotangents", "cotangent ", cotangents, "the results", of.results)
        checked = check_cotangents(f"{of.name}: cotangent", of.result_types, given)
        incoming = [ct for ct, flag in zip(checked, of.has_tangent, strict=True) if flag]
        outgoing = iter(walked_back(of.program, residuals, incoming, of.lies))
        pulled = [
            presented(next(outgoing) if flag else Zero(type.tangent()), type)
            for type, flag in zip(of.types, of.nonzero, strict=True)
        ]
        arguments: tuple[Tree, ...] = tree_unflatten(tangent_structure(of.structure), pulled)
        return arguments


def forward(of: Derivative, residuals: Operands) -> Callable[..., Tree]:
    """The function of tangents, a tree of its residuals."""
    return Partial(Forward(of), tuple(residuals))


def lies_of(leaves: Operands, nonzero: Sequence[bool]) -> Shown | None:
    """How the leaves that have tangents lie over explicit axes."""
    with over_mesh_of(leaves):
        return shown_of([x for x, flag in zip(leaves, nonzero, strict=True) if flag])


def walked_back(
    program: Program, residuals: Operands, cotangents: Sequence[Tangent], lies: Shown | None
) -> Sequence[Tangent]:
    """The cotangents of a linear program's other operands, of those of its results."""
    if lies is None:
        if not _over_explicit_axes(program):
            return transpose(program, residuals, cotangents)
        # The primals are over no mesh, but cotangents in between will be: these, too, the compiler lays out.
        with left_to_the_compiler():
            return transpose(program, residuals, cotangents)
    with over_mesh(lies.mesh):
        # What is added up in between the compiler lays out; in the end they lie as their primals do.
        with left_to_the_compiler():
            found = transpose(program, residuals, cotangents)
        return [_resharded(ct, each) for ct, each in zip(found, lies.shardings, strict=True)]


def _over_explicit_axes(program: Program) -> bool:
    """Whether an operation of a program, or of one nested in it, is over a mesh with explicit axes."""
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
    """A cotangent, resharded like its primal; zeros are made where the primal is divided, as a user sees them."""
    if not isinstance(ct, Zero):
        return reshard_like(ct, primal)
    if primal is None or not any(primal.dims) or primal.partial.axes:
        return ct
    has_data = isinstance(ct.type, ArrayType) and not is_float0(ct.type.dtype)
    return reshard_like(materialise(ct), primal) if has_data else ct


def pulled(
    linearized: Linearized,
    cotangents: Sequence[Tangent],
    primals: Operands,
    nonzero: Sequence[bool],
) -> list[Tangent]:
    """One cotangent per primal, of one per result; zero where the primal is not differentiated."""
    incoming: list[Tangent | Operand] = [
        ct for ct, zero in zip(cotangents, linearized.zero, strict=True) if zero is None
    ]
    lies = lies_of(primals, nonzero)
    outgoing = iter(walked_back(linearized.program, linearized.captured, incoming, lies))
    return [
        next(outgoing) if flag else Zero(type_of(primal).tangent())
        for primal, flag in zip(primals, nonzero, strict=True)
    ]
