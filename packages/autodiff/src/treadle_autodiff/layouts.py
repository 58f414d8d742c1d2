"""Shardings of cotangents under the mesh in force: their primals' shardings, except for the axes of partial sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from treadle_ir import Operand, Operands, Sharding, ops
from treadle_ir.core import MeshAxes, with_partial_sums
from treadle_ir.process import frozen
from treadle_ir.settings import current_context
from treadle_ir.sharding import sharding_of, shardings_here
from treadle_ir.tracing import MESH, explicit_mesh


def reshard_like(cotangent: Operand, primal: Sharding | None) -> Operand:
    """Return a cotangent, resharded over the explicit axes of the mesh in force as its primal is.

    Of what is reduced it is unreduced, and the other way round.
    """
    mesh = explicit_mesh()
    if mesh is None or primal is None:
        return cotangent
    wanted = Sharding(mesh, with_partial_sums(primal.dims, primal.partial.of_cotangents()))
    if sharding_of(cotangent, mesh) is wanted:
        return cotangent
    return ops.sharding_constraint(cotangent, mesh=mesh, layout=wanted.dims)


@final
@frozen
class Shown:
    """Shardings of results over explicit axes: what a user's backward function is shown of their cotangents.

    The backward pass has automatic axes, but that function is the user's, as the forward function was.
    """

    mesh: MeshAxes
    shardings: tuple[Sharding | None, ...]

    def resharded(self, cotangents: Sequence[Operand | None]) -> list[Operand | None]:
        """Return the cotangents, resharded like the results."""
        pairs = zip(cotangents, self.shardings, strict=True)
        return [None if ct is None else reshard_like(ct, sharding) for ct, sharding in pairs]


def shown_of(results: Operands) -> Shown | None:
    """Return the shardings of results; None where no mesh with explicit axes is in force."""
    shardings, mesh = shardings_here(results), current_context().get(MESH)
    return None if shardings is None or mesh is None else Shown(mesh, shardings)
