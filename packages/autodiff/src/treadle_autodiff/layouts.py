"""How cotangents lie over explicit axes of the mesh in force: as their primals do, but for sums that are put off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from treadle_ir import (
    MESH,
    Layout,
    MeshAxes,
    Operand,
    Operands,
    current_context,
    explicit_mesh,
    frozen,
    layout_of_operand,
    layouts_here,
    ops,
    sums_of,
    with_sums,
)


def laid_alike(cotangent: Operand, primal: Layout | None) -> Operand:
    """A cotangent, laid over the explicit axes of the mesh in force as its primal is.

    Of what is reduced it is unreduced, and the other way round.
    """
    mesh = explicit_mesh()
    if mesh is None or primal is None:
        return cotangent
    layout = with_sums(primal, sums_of(primal).of_cotangents())
    if layout_of_operand(cotangent, mesh) == layout:
        return cotangent
    return ops.sharding_constraint(cotangent, mesh=mesh, layout=layout)


@final
@frozen
class Shown:
    """How results lie over explicit axes: what a user's backward function is shown of their cotangents.

    The walk back is left to the compiler, but that function is the user's, as the one forward was.
    """

    mesh: MeshAxes
    layouts: tuple[Layout | None, ...]

    def laid(self, cotangents: Sequence[Operand | None]) -> list[Operand | None]:
        """The cotangents, laid as the results."""
        pairs = zip(cotangents, self.layouts, strict=True)
        return [None if ct is None else laid_alike(ct, layout) for ct, layout in pairs]


def shown_of(results: Operands) -> Shown | None:
    """How results lie, where a mesh with explicit axes is in force."""
    layouts, mesh = layouts_here(results), current_context().get(MESH)
    return None if layouts is None or mesh is None else Shown(mesh, tuple(layouts))
