"""How arrays and results lie over explicit axes of the mesh in force."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import (
    MESH,
    AbstractMesh,
    Array,
    ArrayType,
    Layout,
    PartitionSpec,
    Primitive,
    Tracer,
    current_context,
    explicit_mesh,
    layout_of_operand,
    result_layouts,
    spec_of,
)
from treadle_runtime.placement.mesh import Mesh
from treadle_runtime.placement.named import NamedSharding, layout_from_tiles
from treadle_runtime.placement.placement import PlacedType, Placement
from treadle_runtime.placement.sharding import Sharding

Whole = tuple[tuple[str, ...], ...]


def layout_in(sharding: Sharding, mesh: AbstractMesh, ndim: int) -> Layout | None:
    """How arrays of a rank lie over the axes of a mesh; None where its axes cannot say it."""
    if not isinstance(sharding, NamedSharding):
        return ((),) * ndim
    if sharding.mesh.shape_tuple == mesh.shape_tuple:
        return sharding.layout(ndim)
    current = current_context().get(MESH)
    if isinstance(current, Mesh) and sharding.devices == current.flat:
        return layout_from_tiles(sharding.tiles(ndim), current)
    return None


def explicit_layouts(operands: Sequence[PlacedType]) -> tuple[Whole | None, ...] | None:
    """How operands lie; None where no mesh with explicit axes is in force."""
    mesh = explicit_mesh()
    if mesh is None:
        return None
    return tuple([_shown(x, mesh) for x in operands])


def _shown(operand: PlacedType, mesh: AbstractMesh) -> Whole | None:
    layout = layout_in(operand.placement.sharding, mesh, operand.type.ndim)
    if layout is None:
        return None
    axes = mesh.explicit_axes
    return tuple([tuple([n for n in names or () if n in axes]) for names in layout])


def shardings_of(
    layouts: Sequence[Whole | None] | None, placement: Placement
) -> list[Sharding | None]:
    """The shardings over the mesh in force that layouts ask for, where a program runs on its devices."""
    mesh = current_context().get(MESH)
    if layouts is None or not isinstance(mesh, Mesh) or placement.devices != mesh.flat:
        return []
    # What explicit axes do not divide, automatic ones may.
    rest = PartitionSpec.UNCONSTRAINED if mesh.auto_axes else None
    return [
        None
        if layout is None
        else NamedSharding(
            mesh,
            PartitionSpec(*[names or rest for names in layout]) if rest else spec_of(layout),
        )
        for layout in layouts
    ]


def shardings_by_rule(
    primitive: Primitive,
    operands: Sequence[PlacedType],
    results: Sequence[ArrayType],
    placement: Placement,
) -> list[Sharding | None]:
    """The shardings that the results of an operation have to have; none where no explicit axes are in force.

    Raises:
        ShardingTypeError: the operands do not go together, or the result could lie in several ways.
    """
    mesh = explicit_mesh()
    layouts = explicit_layouts(operands)
    if mesh is None or layouts is None or placement.sharding.num_devices == 1:
        return []
    types = [x.type for x in operands]
    return shardings_of(tuple(result_layouts(primitive, types, layouts, results, mesh)), placement)


def explicit_sharding(x: object) -> NamedSharding | None:
    """How an array lies over the explicit axes of the mesh in force, or of its own; None where nothing is shown.

    Within a traced function, what is left to the compiler shows nothing.
    """
    mesh = current_context().get(MESH)
    if isinstance(mesh, Mesh) and isinstance(x, Array):
        axes = explicit_mesh()
        if axes is None:
            return None
        (found,) = shardings_of_results([layout_of_operand(x, axes)]) or (None,)
        return found
    own = None if isinstance(x, Tracer) else getattr(x, "sharding", None)
    return own if isinstance(own, NamedSharding) and own.mesh.explicit_axes else None


def shardings_of_results(
    layouts: Sequence[Whole | None] | None,
) -> list[NamedSharding | None] | None:
    """How results lie over the mesh in force, as types show it; None where it has no explicit axes."""
    mesh = current_context().get(MESH)
    if layouts is None or not isinstance(mesh, Mesh):
        return None
    return [
        None if layout is None else NamedSharding(mesh, PartitionSpec(*[n or None for n in layout]))
        for layout in layouts
    ]
