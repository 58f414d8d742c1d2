"""How arrays and results lie over explicit axes of the mesh in force."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from treadle_ir import (
    MESH,
    AbstractMesh,
    Array,
    ArrayType,
    Layout,
    MeshAxes,
    PartitionSpec,
    Primitive,
    Tracer,
    Whole,
    current_context,
    explicit_mesh,
    layout_of_operand,
    ops,
    over_mesh,
    result_layouts,
    seen,
    sums_of,
    with_sums,
)
from treadle_runtime.placement.mesh import Mesh
from treadle_runtime.placement.named import NamedSharding, layout_from_tiles
from treadle_runtime.placement.placement import BASE, PlacedType, Placement
from treadle_runtime.placement.sharding import Sharding


def layout_in(sharding: Sharding, mesh: AbstractMesh, ndim: int) -> Layout | None:
    """How arrays of a rank lie over the axes of a mesh; None where its axes cannot say it."""
    if not isinstance(sharding, NamedSharding):
        return ((),) * ndim
    if sharding.mesh.shape_tuple == mesh.shape_tuple:
        return sharding.layout(ndim)
    current = current_context().get(MESH)
    if sharding.spec.sums.axes:
        return None
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
    return None if layout is None else seen(layout, mesh)


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
        None if layout is None else NamedSharding(mesh, _spec(layout, rest)) for layout in layouts
    ]


def _spec(layout: Whole, rest: object = None) -> PartitionSpec:
    """A layout as a specification with an entry for each axis, that of those which are whole being given."""
    return PartitionSpec(*[names or rest for names in layout], **sums_of(layout)._asdict())


def explicit_mesh_of(operand: PlacedType) -> MeshAxes | None:
    """The mesh whose explicit axes an array lies over; None where there are none."""
    if operand.placement is BASE:  # whose device needs no client before it is used
        return None
    sharding = operand.placement.sharding
    if isinstance(sharding, NamedSharding) and sharding.mesh.explicit_axes:
        return sharding.mesh
    return None


def shown_sharding(operand: PlacedType) -> NamedSharding | None:
    """How its type shows that an array lies over explicit axes of its own mesh; None where there are none."""
    mesh, sharding = explicit_mesh_of(operand), operand.placement.sharding
    if mesh is None or not isinstance(sharding, NamedSharding):
        return None
    layout = seen(sharding.layout(operand.type.ndim), mesh.abstract_mesh)
    return NamedSharding(sharding.mesh, _spec(layout))


def over_placed(operands: Sequence[PlacedType]) -> AbstractContextManager[None]:
    """`over_mesh_of` for operands that are known by type and place."""
    if current_context().get(MESH) is None:
        return over_mesh(next(filter(None, map(explicit_mesh_of, operands)), None))
    return nullcontext()


def with_whole_rows(x: Array, lies: PlacedType) -> Array:
    """The array with its first axis whole, since no row follows from parts of an explicit axis."""
    mesh, sharding = explicit_mesh_of(lies), lies.placement.sharding
    if mesh is None or not isinstance(sharding, NamedSharding):
        return x
    layout = sharding.layout(x.ndim)
    rows = with_sums(((), *layout[1:]), sums_of(layout))
    with over_mesh(mesh):
        return ops.sharding_constraint(x, mesh=mesh.axes, layout=rows)


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
    if placement is BASE:
        return []
    sharding = placement.sharding
    # Over one device explicit axes say how arrays lie as well: types show it.
    if sharding.num_devices == 1 and not (
        isinstance(sharding, NamedSharding) and sharding.mesh.explicit_axes
    ):
        return []
    with over_placed(operands):
        mesh, layouts = explicit_mesh(), explicit_layouts(operands)
        if mesh is None or layouts is None:
            return []
        types = [x.type for x in operands]
        found = result_layouts(primitive, types, layouts, results, mesh)
        return shardings_of(tuple(found), placement)


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
    return shardings_over(mesh, layouts) if layouts is not None and isinstance(mesh, Mesh) else None


def shardings_over(
    mesh: Mesh | AbstractMesh, layouts: Sequence[Whole | None]
) -> list[NamedSharding | None]:
    """Layouts as shardings over a mesh."""
    return [None if layout is None else NamedSharding(mesh, _spec(layout)) for layout in layouts]
