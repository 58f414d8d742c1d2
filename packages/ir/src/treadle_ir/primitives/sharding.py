"""Shardings of arrays within a program: sharding_constraint, inspect_sharding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, final

from treadle_ir.core.effects import Callback, Effects
from treadle_ir.core.families import OverMesh
from treadle_ir.core.mesh import AbstractMesh, DimShardings
from treadle_ir.core.partial import PartialSums, partial_sums_of, with_partial_sums
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ShardingError
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


@register
@final
@frozen
class ShardingConstraint(OverMesh):
    """The operand, sharded over the axes of a mesh.

    Constraints:
        (C1) the layout has an entry for each axis of the operand
        (C2) the layout and the unreduced and reduced axes name axes of the mesh, each once
    """

    takes_keys: ClassVar[bool] = True
    computes: ClassVar[bool] = False
    name: ClassVar[str] = "sharding_constraint"
    mesh: AbstractMesh
    layout: DimShardings
    device_ids: tuple[int, ...] = ()
    unreduced: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, mesh: AbstractMesh, layout: DimShardings, device_ids: tuple[int, ...] = ()
    ) -> ShardingConstraint:
        """Return the constraint to dimension shardings, with the axes over which sums are partial."""
        unreduced, reduced = partial_sums_of(layout)
        return cls(
            mesh, tuple(layout), device_ids, tuple(sorted(unreduced)), tuple(sorted(reduced))
        )

    @property
    def dims(self) -> DimShardings:
        """The dimension shardings, with the axes over which sums are partial."""
        sums = PartialSums(frozenset(self.unreduced), frozenset(self.reduced))
        return with_partial_sums(self.layout, sums)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        if len(self.layout) != x.ndim:  # C1
            raise ShardingError(
                f"sharding_constraint: the layout has {len(self.layout)} entries, but {x} has {x.ndim} axes"
            )
        named = [name for names in self.layout for name in names or ()]
        named += [*self.unreduced, *self.reduced]
        if len({*named}) != len(named) or not {*named} <= {*self.mesh.axis_names}:  # C2
            raise ShardingError(
                f"sharding_constraint: the layout names {named}, and the mesh has the axes {self.mesh.axis_names}"
            )
        return (x,)


def sharding_constraint(
    x: Operand, *, mesh: AbstractMesh, layout: DimShardings, device_ids: tuple[int, ...] = ()
) -> Array:
    """Return the operand, sharded over the axes of a mesh."""
    return bind(ShardingConstraint.of(mesh, layout, device_ids), x)[0]


@register
@final
@frozen
class InspectSharding(Primitive):
    """Calls a function with the sharding of the operand, once that is known: when the program has been compiled.

    Evaluation without devices has no shardings, and does not call the function.
    """

    name: ClassVar[str] = "inspect_sharding"
    opaque: ClassVar[bool] = True
    callback: Callable[[Any], object]  # Any: the runtime's shardings

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return no results."""
        return ()

    def effects(self, *operands: Type) -> Effects:
        """Return the effect of a callback."""
        return frozenset({Callback()})


def inspect_sharding(
    x: Operand,
    *,
    callback: Callable[[Any], object],  # Any: the runtime's shardings
) -> None:
    """Call a function with the sharding of an array, once that is known."""
    bind(InspectSharding(callback), x)
