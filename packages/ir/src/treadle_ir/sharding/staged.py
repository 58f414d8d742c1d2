"""Shardings of operands under the mesh in force, and of what staging records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_ir.core.families import Elementwise, InlineCall, OverMesh
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.partial import PartialDimShardings, with_partial_sums
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.core.sharding import Sharding, replicated
from treadle_ir.core.types import ArrayType, Type, Varying, unsharded
from treadle_ir.core.typing import Inferred, inferred
from treadle_ir.core.values import Atom, Literal
from treadle_ir.primitives.shape import BroadcastInDim, Reverse, Transpose
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.sharding.specialised import specialised_primitive, typed_over
from treadle_ir.tracing.array import Array, type_of
from treadle_ir.tracing.current_mesh import explicit_mesh


def sharding_of(operand: object, mesh: AbstractMesh) -> Sharding | None:
    """Return the sharding of an operand over the explicit axes of `mesh`; None where the compiler decides."""
    if isinstance(operand, Array):
        found = operand.__treadle_sharding__(mesh)
        return None if found is None else found.over(mesh)
    return replicated(len(getattr(operand, "shape", ())), mesh)


def type_here(operand: object) -> ArrayType:
    """Return the type of an operand with its sharding over the explicit axes of the mesh in force.

    Raises:
        ArgumentError: it is not an array or a number.
    """
    return types_here((operand,))[0]


def types_here(operands: Sequence[object]) -> tuple[ArrayType, ...]:
    """Return the types of operands with their shardings over the explicit axes of the mesh in force.

    They have none where there is no such mesh.

    Raises:
        ArgumentError: one is not an array or a number.
    """
    mesh = explicit_mesh()
    if mesh is None:
        return unsharded([type_of(x) for x in operands])
    return tuple([type_of(x).with_sharding(sharding_of(x, mesh)) for x in operands])


def shardings_here(operands: Sequence[object]) -> tuple[Sharding | None, ...] | None:
    """Return the shardings of operands; None where no mesh with explicit axes is in force."""
    mesh = explicit_mesh()
    return None if mesh is None else tuple([sharding_of(x, mesh) for x in operands])


def result_shardings(program: Program, mesh: AbstractMesh) -> tuple[Sharding | None, ...]:
    """Return the shardings of a program's results over `mesh`; None for a result that is left to the compiler."""
    found: list[Sharding | None] = []
    for each in program.results:
        if isinstance(each, Literal):
            found.append(replicated(0, mesh))
        else:
            sharding = each.type.sharding
            found.append(None if sharding is None else sharding.over(mesh))
    return tuple(found)


def inferred_here(
    primitive: Primitive, atoms: Sequence[Atom], axes: Varying
) -> tuple[Primitive, Inferred, ShardingConstraint | None]:
    """Return an operation with its result types and effects under the mesh in force.

    The programs that the operation holds are those for the shardings of its operands. Where the compiler could lay out
    its one result otherwise, the third result is the constraint to be recorded after it.

    Args:
        primitive: the operation.
        atoms: its operands, which vary over the same axes.
        axes: the manual axes in force that are checked.

    Raises:
        ShardingTypeError: its operands do not go together, or the result could lie in several ways.
    """
    mesh = explicit_mesh()
    if mesh is None:  # this part of the program is left to the compiler
        return primitive, inferred(primitive, tuple([x.type for x in atoms]), None, axes), None
    types = typed_over(atoms, mesh)
    primitive = specialised_primitive(primitive, types, mesh)
    found = inferred(primitive, types, mesh, axes)
    return primitive, found, _constraint(primitive, found[0], mesh)


def _constraint(
    primitive: Primitive, results: Sequence[Type], mesh: AbstractMesh
) -> ShardingConstraint | None:
    if len(results) != 1:
        return None
    (result,) = results
    sharding = result.sharding
    if sharding is None or sharding.is_replicated:
        return None
    dims = sharding.dims
    # XLA infers the sharding of a result that is sharded as an operand, but not that it is a partial sum.
    if isinstance(primitive, OverMesh if type(dims) is PartialDimShardings else _FOLLOWS):
        return None
    # What explicit axes do not divide, automatic ones may.
    rest = None if mesh.auto_axes else ()
    return ShardingConstraint.of(
        mesh, with_partial_sums([names or rest for names in dims], sharding.partial)
    )


# Results that are sharded as an operand in any case, and operations that specify the shardings of their results.
_FOLLOWS: Final = (BroadcastInDim, Elementwise, InlineCall, OverMesh, Reverse, Transpose)
