"""Shardings of the arguments and results of an exported function, and the devices of its calls.

Exported are the axes of a mesh, by name and size, and specifications. Devices have no numbers in it: a call is over
the devices where its arguments are, in their order, or over the mesh in force.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, final

import numpy as np

from treadle.export.container import damaged
from treadle_compiler import Partitioning
from treadle_ir import (
    AbstractMesh,
    ArgumentError,
    ArrayType,
    Operand,
    PartitionSpec,
    Program,
    TreadleError,
    Type,
    UnsupportedError,
    ops,
)
from treadle_ir.core import DimShardings, MeshAxes, OverMesh, layout_of, part_shape, spec_of
from treadle_ir.errors import PlacementError, ShardingError, refused
from treadle_ir.primitives.memory import DEVICE_MEMORY, ToMemory
from treadle_ir.process import frozen
from treadle_ir.rewrite.nested import map_programs
from treadle_ir.settings import current_context
from treadle_ir.tracing import MESH
from treadle_runtime import (
    DeviceArray,
    Mesh,
    NamedSharding,
    Sharding,
    device_put,
    devices,
    meshes_of,
)


@final
@frozen
class Over:
    """The sharding of an array over a mesh of any devices."""

    mesh: AbstractMesh
    layout: DimShardings

    def on(self, mesh: object) -> NamedSharding:
        """Return this sharding over the devices of `mesh`.

        Raises:
            ArgumentError: `mesh` is not a mesh of devices; ShardingError: it lacks an axis.
        """
        if not isinstance(mesh, Mesh):
            raise refused("in_shardings_jax, out_shardings_jax", "mesh", "a Mesh", mesh)
        if not {*self.mesh.shape_tuple} <= {*mesh.shape_tuple}:
            raise ShardingError(
                f"the function was exported over a mesh of {dict(self.mesh.shape_tuple)}, "
                f"not of {dict(mesh.shape_tuple)}",
                fix="make a mesh with axes of these names and sizes",
            )
        return NamedSharding(mesh, spec_of(self.layout))

    def constrained(self, x: Operand) -> Operand:
        """Return `x` with this sharding over the mesh in force."""
        return ops.sharding_constraint(x, mesh=self.mesh, layout=self.layout)


@final
@frozen
class ExportedShardings:
    """The shardings of the arguments and results of a function over several devices; None for unspecified ones."""

    mesh: AbstractMesh  # of as many devices as it is for
    inputs: tuple[Over | None, ...]
    outputs: tuple[Over | None, ...]

    def transposed(self) -> ExportedShardings:
        """Return the shardings of its vjp: from arguments and cotangents of results to cotangents of arguments."""
        return ExportedShardings(self.mesh, (*self.inputs, *self.outputs), self.inputs)

    def partitioning(self, program: Program) -> Partitioning:
        """Return the shardings for the lowering; captured arrays are replicated."""
        types = program.parameter_types
        captured = [((),) * getattr(t, "ndim", 0) for t in types[: len(types) - len(self.inputs)]]
        inputs = [
            self._layout(over) or ((),) * getattr(type, "ndim", 0)
            for over, type in zip(self.inputs, types[len(captured) :], strict=True)
        ]
        outputs = tuple([self._layout(over) for over in self.outputs])
        return Partitioning(self.mesh, (*captured, *inputs), outputs)

    def _layout(self, over: Over | None) -> DimShardings | None:
        """Return the sharding over the axes of this mesh; None where it is over another mesh."""
        if over is None or over.mesh.shape_tuple != self.mesh.shape_tuple:
            return None
        return tuple([names or () for names in over.layout])


def constrained(operands: Sequence[Operand], over: Sequence[Over | None]) -> list[Operand]:
    """Return the operands with the shardings `over`, over the mesh in force."""
    return [
        x if each is None else each.constrained(x) for x, each in zip(operands, over, strict=True)
    ]


# --- exporting ------------------------------------------------------------------------------------------


def exported_shardings(
    name: str,
    program: Program,
    inputs: Sequence[Sharding | None],
    outputs: Sequence[Sharding | None],
) -> ExportedShardings | None:
    """Return the shardings of a function that is exported; None on a single device.

    Raises:
        UnsupportedError: a sharding has partial sums; ShardingError: the meshes have different numbers of devices.
    """
    count = len(program.parameter_types) - len(inputs)
    in_types, out_types = program.parameter_types[count:], program.result_types
    named = [x for x in (*inputs, *outputs) if isinstance(x, NamedSharding)]
    meshes = [automatic(x.mesh) for x in named] + [
        automatic(mesh) for mesh, _ in meshes_of(program)
    ]
    if not meshes:
        return None
    sizes = {mesh.size for mesh in meshes}
    if len(sizes) > 1:
        raise ShardingError(
            f"export: {name} uses meshes of {' and of '.join(map(str, sorted(sizes)))} devices",
            fix="shard everything over meshes of the same devices",
        )
    return ExportedShardings(
        meshes[0],
        tuple([_over(x, type) for x, type in zip(inputs, in_types, strict=True)]),
        tuple([_over(x, type) for x, type in zip(outputs, out_types, strict=True)]),
    )


def automatic(mesh: MeshAxes) -> AbstractMesh:
    """Return a mesh with the same axes, all automatic."""
    return AbstractMesh(mesh.axis_sizes, mesh.axis_names)


def _over(sharding: Sharding | None, type: Type) -> Over | None:
    if not isinstance(sharding, NamedSharding) or not isinstance(type, ArrayType):
        return None
    if sharding.spec.unreduced:
        raise UnsupportedError(
            f"export: an argument or a result has the sharding {sharding.spec}; partial sums (unreduced axes) "
            "are not exported",
            fix="add it up within the function, `reshard(x, P(...))`, and before the call",
        )
    return Over(automatic(sharding.mesh), tuple(layout_of(sharding.spec, type.ndim)))


def in_memories(program: Program, outputs: Sequence[Sharding | None]) -> Program:
    """Return the program with its results in the requested memories: shardings are not exported, operations are."""
    kinds = [None if each is None else each.memory_kind for each in outputs]
    return program.then(
        [None if kind in (None, DEVICE_MEMORY) else ToMemory(kind) for kind in kinds]
    )


def anywhere(program: Program) -> Program:
    """Return the program without the ids of the devices that it was staged for."""
    return map_programs(program, _anywhere)


def _anywhere(program: Program) -> Program:
    equations = [
        each._replace(primitive=replace(each.primitive, device_ids=()))  # type: ignore[type-var]  # dataclasses
        if isinstance(each.primitive, OverMesh) and each.primitive.device_ids
        else each
        for each in program.equations
    ]
    return Program(program.parameters, tuple(equations), program.results)


# --- calling --------------------------------------------------------------------------------------------


def mesh_of_call(name: str, shardings: ExportedShardings, leaves: Sequence[Operand]) -> Mesh:
    """Return the mesh of devices that a call is over.

    Raises:
        PlacementError: arguments are committed to another number of devices, or there are fewer.
    """
    wanted = shardings.mesh.size
    committed = [x for x in leaves if isinstance(x, DeviceArray) and x.committed]
    current = current_context().get(MESH)
    if committed:
        found = committed[0].sharding.devices
        if len(found) != wanted:
            raise PlacementError(
                f"Function {name!r} was exported for {wanted} devices, but its arguments are committed to {len(found)}",
                fix=f"shard them over a mesh of {wanted} devices with device_put, or export it for {len(found)}",
            )
    elif isinstance(current, Mesh) and current.size == wanted:
        found = current.flat
    else:
        found = tuple(devices()[:wanted])
        if len(found) != wanted:
            raise PlacementError(
                f"Function {name!r} was exported for {wanted} devices, but there are {len(found)}",
                fix="export it for fewer; for virtual CPU devices start with TREADLE_NUM_CPU_DEVICES=<n>",
            )
    return _of_devices(shardings, found)


def mesh_around(shardings: ExportedShardings) -> Mesh | None:
    """Return the mesh of a call within a traced function: the devices of the mesh in force, if it has as many."""
    current = current_context().get(MESH)
    if isinstance(current, Mesh) and current.size == shardings.mesh.size:
        return _of_devices(shardings, current.flat)
    return None


def _of_devices(shardings: ExportedShardings, found: Sequence[Any]) -> Mesh:
    grid = np.empty(len(found), object)
    grid[:] = found
    return Mesh(grid.reshape(shardings.mesh.axis_sizes), shardings.mesh.axis_names)


def placed(leaves: Sequence[Operand], shardings: ExportedShardings, mesh: Mesh) -> list[Operand]:
    """Return the arguments of a call, sharded over the mesh as the function takes them."""
    found: list[Operand] = []
    for x, over in zip(leaves, shardings.inputs, strict=True):
        whole = PartitionSpec() if over is None else spec_of(over.layout)
        over_it = isinstance(x, DeviceArray) and x.sharding.devices == mesh.flat
        if over is None and over_it:
            found.append(x)
        elif over is None or over.mesh.shape_tuple == shardings.mesh.shape_tuple:
            found.append(device_put(x, NamedSharding(mesh, whole)))
        else:
            own = Mesh(np.reshape(mesh.devices, over.mesh.axis_sizes), over.mesh.axis_names)
            found.append(device_put(x, NamedSharding(own, whole)))
    return found


# --- bytes ----------------------------------------------------------------------------------------------


def written(shardings: ExportedShardings | None) -> dict[str, Any]:  # Any: what JSON holds
    """Return the fields of the artefact's header that describe the shardings."""
    if shardings is None:
        return {"devices": 1}
    return {
        "devices": shardings.mesh.size,
        "mesh": _written_mesh(shardings.mesh),
        "in_shardings": [_written_over(each) for each in shardings.inputs],
        "out_shardings": [_written_over(each) for each in shardings.outputs],
    }


def _written_mesh(mesh: AbstractMesh) -> list[Any]:
    return [[name, size] for name, size in mesh.shape_tuple]


def _written_over(over: Over | None) -> list[Any] | None:
    return None if over is None else [_written_mesh(over.mesh), over.layout]


def read(
    fields: Mapping[str, Any],
    program: Program,
    in_types: Sequence[ArrayType],
    out_types: Sequence[ArrayType],
) -> ExportedShardings | None:
    """Restore the shardings from the fields that `written` returned.

    Raises:
        ArgumentError: the fields are not of this form.
    """
    count = fields.get("devices")
    if type(count) is not int or count < 1:
        raise damaged("the artefact does not say for how many devices it is")
    meshes = [mesh for mesh, _ in meshes_of(program)]
    if "mesh" not in fields:
        if count != 1 or meshes:
            raise damaged("the artefact is for several devices, but has no mesh")
        return None
    try:
        mesh = _read_mesh(fields["mesh"])
        shardings = ExportedShardings(
            mesh,
            _read_all(fields.get("in_shardings"), in_types),
            _read_all(fields.get("out_shardings"), out_types),
        )
    except (TreadleError, TypeError, ValueError) as error:
        raise damaged(f"the artefact's shardings are none: {error}") from error
    every = [
        mesh,
        *meshes,
        *[x.mesh for x in (*shardings.inputs, *shardings.outputs) if x is not None],
    ]
    if any([each.size != count for each in every]):
        raise damaged("the artefact's meshes are of different numbers of devices")
    return shardings


def _read_mesh(given: Any) -> AbstractMesh:
    sizes, names = [size for _, size in given], [name for name, _ in given]
    return AbstractMesh(tuple(sizes), tuple(names))


def _read_all(given: Any, types: Sequence[ArrayType]) -> tuple[Over | None, ...]:
    if not isinstance(given, list) or len(given) != len(types):
        raise ArgumentError("there is not one for each array")
    return tuple([_read_over(each, type) for each, type in zip(given, types, strict=True)])


def _read_over(given: Any, type: ArrayType) -> Over | None:
    if given is None:
        return None
    axes, entries = given
    mesh = _read_mesh(axes)
    # As a specification, so that names are checked as a user's are.
    unsaid = PartitionSpec.UNCONSTRAINED
    spec = PartitionSpec(*[unsaid if names is None else tuple(names) for names in entries])
    layout = layout_of(spec, type.ndim)
    named = [name for names in layout for name in names or ()]
    if len({*named}) != len(named) or not {*named} <= {*mesh.axis_names}:
        raise ArgumentError(f"{spec} does not fit the mesh {mesh}")
    part_shape(type.shape, layout, mesh)
    return Over(mesh, layout)
