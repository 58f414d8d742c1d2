"""A function that each device of a mesh runs on its own shards of arrays: the basis of `shard_map` and `pmap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

from treadle_ir import (
    Array,
    ArrayType,
    Operands,
    PartitionSpec,
    Program,
    Staged,
    UnsupportedError,
    bind,
    equal_programs,
    type_of,
    types_of,
)
from treadle_ir.calling import TreeFunction, array_results
from treadle_ir.core import DimShardings, MeshAxes, check_names, layout_of, part_shape, spec_of
from treadle_ir.errors import ShardingError
from treadle_ir.primitives.shard_map import ShardMap, axes_of, inside_axes
from treadle_ir.process import frozen
from treadle_ir.sharding import fitted_shard_map
from treadle_ir.tracing import checked_manual_axes, stage_tree
from treadle_ir.tree import PyTreeDef, keystr, leaf_paths, tree_unflatten
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.placement.mesh import MESH, Mesh
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.placement import placement_of

Tree: TypeAlias = Any  # a pytree: any Python object
_KEPT: Final = 8  # programs of a mapped function


@final
@frozen(eq=False)
class OnParts:
    """A function that the devices of a mesh run on their shards.

    `manual` are the axes of the mesh that it sees, `checked` tells whether varying axes are tracked and checked, and
    `programs` are the programs of earlier calls: an equal program has been compiled already.
    """

    function: Callable[..., Tree]
    mesh: Mesh | Any  # Any: or an AbstractMesh
    manual: tuple[str, ...]
    checked: bool
    programs: list[Program]

    def __call__(
        self,
        leaves: Sequence[Array],
        structure: PyTreeDef,
        described: Sequence[str],
        in_specs: Sequence[PartitionSpec],
        out_specs: Callable[[Tree], list[PartitionSpec]],
    ) -> Tree:
        """Run the function on the shards of arrays, and return its results.

        Args:
            leaves: the leaves of the arguments.
            structure: the structure of the tuple of arguments.
            described: a description of each leaf, for messages.
            in_specs: the specification of each leaf.
            out_specs: returns the specifications of the results; it is called after the function has been staged.

        Raises:
            ShardingError: a leaf or a result cannot be sharded as specified, or a result differs between devices along
                an axis that its specification does not name.
        """
        over, manual, checked, programs = self.mesh, self.manual, self.checked, self.programs
        layouts = [
            _layout(spec, type_of(x), over, manual, what)
            for spec, x, what in zip(in_specs, leaves, described, strict=True)
        ]
        parts = [
            type_of(x).with_shape(part_shape(type_of(x).shape, layout, over, what))
            for x, layout, what in zip(leaves, layouts, described, strict=True)
        ]
        if checked:
            parts = [
                part.with_varying(part.varying | axes_of(layout))
                for part, layout in zip(parts, layouts, strict=True)
            ]
        staged, out = _staged(self.function, structure, parts, over, manual, checked)
        program = next((p for p in programs if equal_programs(p, staged.program)), None)
        if program is None:
            program = staged.program
            programs[:] = [*programs, program][-_KEPT:]
        results = tree_unflatten(out, range(len(program.results)))
        places = [f"result{keystr(path) or ''}" for path in leaf_paths(results)]
        specs = out_specs(results)
        ends = [
            _layout(spec, type, over, manual, what)
            for spec, type, what in zip(specs, program.result_types, places, strict=True)
        ]
        around = [((),) * type_of(x).ndim for x in staged.captured]
        primitive = ShardMap(
            program,
            over.axes,
            (*around, *layouts),
            tuple(ends),
            manual,
            checked,
            _device_ids(over),
        )
        given = (*staged.captured, *leaves)
        if checked:
            _check_replicated(primitive, places)
            outer = [type.varying for type in types_of(given)]
            primitive = fitted_shard_map(primitive, outer, checked_manual_axes())
        found = bind(primitive, *given)
        return tree_unflatten(
            out, [_with_spec(x, spec) for x, spec in zip(found, specs, strict=True)]
        )


def _with_spec(x: Array, spec: PartitionSpec) -> Array:
    """Return a result with exactly the specification `spec` if it is sharded equivalently: P(None) is not P()."""
    if type(x) is not DeviceArray or not isinstance(x.sharding, NamedSharding):
        return x
    written = NamedSharding(x.sharding.mesh, spec)
    if x.sharding.spec == spec or not x.sharding.is_equivalent_to(written, x.ndim):
        return x
    return DeviceArray(placement_of(written, committed=True).of(x.type), x.host, x.raw)


def _device_ids(mesh: MeshAxes) -> tuple[int, ...]:
    return tuple([device.id for device in mesh.flat]) if isinstance(mesh, Mesh) else ()


def _layout(
    spec: PartitionSpec, type: Any, mesh: MeshAxes, manual: tuple[str, ...], what: str
) -> DimShardings:
    """Return the mesh axes that partition each dimension of an argument or a result. Any: an ArrayType."""
    assert isinstance(type, ArrayType)
    if spec.partial.axes:
        raise UnsupportedError(
            f"shard_map: {spec} of {what}: partial sums do not go in or out of shard_map",
            fix="add up arguments, `reshard(x, P(...))`, and results within the function, with lax.psum",
        )
    try:
        check_names(spec, mesh)
        layout = layout_of(spec, type.ndim, what)
    except ShardingError as error:
        error.add_note(f"  while: sharding {what} of shard_map, of type {type}")
        raise
    for names in layout:
        for name in names or ():
            if name not in manual:
                raise ShardingError(
                    f"shard_map: {spec} of {what} names the axis {name!r}, but the function sees {manual} only",
                    fix="add it to axis_names, or leave it out and shard the array over it with device_put",
                )
    if None in layout:
        raise ShardingError(
            f"shard_map: {spec} of {what} leaves an axis unconstrained",
            fix="write None for an axis that is not sharded",
        )
    return layout


def _staged(
    function: Callable[..., Tree],
    structure: PyTreeDef,
    parts: list[ArrayType],
    mesh: MeshAxes,
    manual: tuple[str, ...],
    checked: bool,
) -> tuple[Staged, PyTreeDef]:
    """Return the function as a program of one device's shards; if `checked`, its types have varying axes."""

    def arguments(operands: Operands) -> tuple[Any, dict[str, Any]]:
        return tree_unflatten(structure, operands), {}

    tree = TreeFunction(function, arguments, array_results("shard_map: result "))
    with MESH.override(mesh), inside_axes(mesh.axes, manual, checked):
        return stage_tree(tree, *parts)


def _check_replicated(primitive: ShardMap, places: list[str]) -> None:
    """Refuse results that differ between devices along axes that their specifications do not name."""
    for layout, type, what in zip(
        primitive.out_layouts, primitive.body.result_types, places, strict=True
    ):
        cut = axes_of(layout)
        more = [name for name in primitive.manual_axes if name in type.varying and name not in cut]
        if more:
            raise ShardingError(
                f"shard_map: {what} varies over {', '.join(map(repr, more))}, but its out_specs, {spec_of(layout)}, "
                "say that it is the same on all devices along there",
                fix=f"name the axis in out_specs, make it the same with lax.psum(x, {more[0]!r}) or its like, "
                "or pass check_vma=False if it is the same for a reason that cannot be seen",
            )
