"""Shardings of arrays and results over explicit axes of the mesh in force."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from treadle_ir import (
    AbstractMesh,
    Array,
    ArrayType,
    PartitionSpec,
    Primitive,
    Program,
    Sharding as TypeSharding,
    ops,
)
from treadle_ir.core import (
    ClosedDimShardings,
    DimShardings,
    MeshAxes,
    explicit_part,
    partial_sums_of,
    with_partial_sums,
)
from treadle_ir.settings import current_context
from treadle_ir.sharding import (
    result_shardings,
    sharded_results,
    sharding_of,
    specialised_primitive,
)
from treadle_ir.tracing import MESH, Tracer, explicit_mesh, over_mesh
from treadle_runtime.placement.mesh import Mesh
from treadle_runtime.placement.named import NamedSharding, layout_from_tiles
from treadle_runtime.placement.placement import BASE, PlacedType, Placement
from treadle_runtime.placement.sharding import Sharding


def type_sharding(sharding: Sharding, mesh: AbstractMesh, ndim: int) -> TypeSharding | None:
    """Return the part of `sharding` that types of rank `ndim` show: its explicit part over the axes of `mesh`.

    None if it cannot be expressed in the axes of `mesh`.
    """
    layout = _layout_in(sharding, mesh, ndim)
    return None if layout is None else explicit_part(layout, mesh)


def _layout_in(sharding: Sharding, mesh: AbstractMesh, ndim: int) -> DimShardings | None:
    if not isinstance(sharding, NamedSharding):
        return ((),) * ndim
    if sharding.mesh.shape_tuple == mesh.shape_tuple:
        return sharding.layout(ndim)
    current = current_context().get(MESH)
    if sharding.spec.partial.axes:
        return None
    if isinstance(current, Mesh) and sharding.devices == current.flat:
        return layout_from_tiles(sharding.tiles(ndim), current)
    return None


def sharded_types(operands: Sequence[PlacedType]) -> tuple[ArrayType, ...]:
    """Return the types of operands, with their shardings where a mesh with explicit axes is in force."""
    mesh = explicit_mesh()
    if mesh is None:
        return tuple([x.type for x in operands])
    return tuple(
        [
            x.type.with_sharding(type_sharding(x.placement.sharding, mesh, x.type.ndim))
            for x in operands
        ]
    )


def shardings_of(
    shown: Sequence[TypeSharding | None] | None, placement: Placement
) -> list[Sharding | None]:
    """Return the shardings that types request over the mesh in force; none if the program runs on other devices."""
    mesh = current_context().get(MESH)
    if shown is None or not isinstance(mesh, Mesh) or placement.devices != mesh.flat:
        return []
    # Automatic axes may partition the dimensions that no explicit axis partitions.
    rest = PartitionSpec.UNCONSTRAINED if mesh.auto_axes else None
    return [None if each is None else NamedSharding(mesh, _spec(each.dims, rest)) for each in shown]


def _spec(layout: ClosedDimShardings, rest: object = None) -> PartitionSpec:
    """Return the specification of a sharding, with the entry `rest` for each unsharded dimension."""
    return PartitionSpec(*[names or rest for names in layout], **partial_sums_of(layout)._asdict())


def explicit_mesh_of(operand: PlacedType) -> MeshAxes | None:
    """Return the mesh over whose explicit axes an array is sharded; None if there are no such axes."""
    if operand.placement is BASE:  # so that no client is started before the device is used
        return None
    sharding = operand.placement.sharding
    if isinstance(sharding, NamedSharding) and sharding.mesh.explicit_axes:
        return sharding.mesh
    return None


def shown_sharding(operand: PlacedType) -> NamedSharding | None:
    """Return the sharding that an array's type shows over the explicit axes of its mesh; None if there are none."""
    mesh, sharding = explicit_mesh_of(operand), operand.placement.sharding
    if mesh is None or not isinstance(sharding, NamedSharding):
        return None
    shown = explicit_part(sharding.layout(operand.type.ndim), mesh.abstract_mesh)
    return NamedSharding(sharding.mesh, _spec(shown.dims))


def over_placed(operands: Sequence[PlacedType]) -> AbstractContextManager[None]:
    """Like `over_mesh_of`, for operands of which only types and placements are known."""
    if current_context().get(MESH) is None:
        return over_mesh(next(filter(None, map(explicit_mesh_of, operands)), None))
    return nullcontext()


def with_unsharded_rows(x: Array, placed: PlacedType) -> Array:
    """Return `x` with its first axis unsharded: sharding rules take no row of an axis that is sharded explicitly."""
    mesh, sharding = explicit_mesh_of(placed), placed.placement.sharding
    if mesh is None or not isinstance(sharding, NamedSharding):
        return x
    layout = sharding.layout(x.ndim)
    rows = with_partial_sums(((), *layout[1:]), partial_sums_of(layout))
    with over_mesh(mesh):
        return ops.sharding_constraint(x, mesh=mesh.axes, layout=rows)


def shardings_by_rule(
    primitive: Primitive,
    operands: Sequence[PlacedType],
    results: Sequence[ArrayType],
    placement: Placement,
) -> list[Sharding | None]:
    """Return the shardings that the results of an operation must have; none if no explicit axes are in force.

    Raises:
        ShardingTypeError: the operands' shardings are incompatible, or the result sharding is ambiguous.
    """
    if placement is BASE:
        return []
    sharding = placement.sharding
    # Types show shardings over explicit axes also if the mesh has one device.
    if sharding.num_devices == 1 and not (
        isinstance(sharding, NamedSharding) and sharding.mesh.explicit_axes
    ):
        return []
    with over_placed(operands):
        mesh = explicit_mesh()
        if mesh is None:
            return []
        types = sharded_types(operands)
        primitive = specialised_primitive(primitive, types, mesh)
        found = sharded_results(primitive, types, results, mesh)
        return shardings_of([type.sharding for type in found], placement)


def explicit_sharding(x: object) -> NamedSharding | None:
    """Return the sharding of `x` over the explicit axes of the mesh in force, or of its own; None without such axes.

    Within a traced function, automatic axes are not part of it.
    """
    mesh = current_context().get(MESH)
    if isinstance(mesh, Mesh) and isinstance(x, Array):
        axes = explicit_mesh()
        if axes is None:
            return None
        (found,) = shardings_of_results([sharding_of(x, axes)]) or (None,)
        return found
    own = None if isinstance(x, Tracer) else getattr(x, "sharding", None)
    return own if isinstance(own, NamedSharding) and own.mesh.explicit_axes else None


def shardings_of_results(
    shown: Sequence[TypeSharding | None] | None,
) -> list[NamedSharding | None] | None:
    """Return the shardings that the types of results show, over the mesh in force; None if it has no explicit axes."""
    mesh = current_context().get(MESH)
    return shardings_over(mesh, shown) if shown is not None and isinstance(mesh, Mesh) else None


def shardings_of_program(program: Program) -> tuple[TypeSharding | None, ...] | None:
    """Return the shardings of a program's results; None if no mesh with explicit axes is in force."""
    mesh = explicit_mesh()
    return None if mesh is None else result_shardings(program, mesh)


def shardings_over(
    mesh: Mesh | AbstractMesh, shown: Sequence[TypeSharding | None]
) -> list[NamedSharding | None]:
    """Return the shardings that types show, as shardings over `mesh`."""
    return [None if each is None else NamedSharding(mesh, _spec(each.dims)) for each in shown]
