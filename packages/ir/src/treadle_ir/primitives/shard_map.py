"""shard_map: a program that each device of a mesh runs on its own shards of the operands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import prod
from typing import ClassVar, final

from treadle_ir.core.effects import Effects, NamedAxis
from treadle_ir.core.families import OverMesh
from treadle_ir.core.flows import Flows, call_flows
from treadle_ir.core.mesh import AbstractMesh, DimShardings, part_shape, parts_of
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ShardingError
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.settings.context import named_axis


@register
@final
@frozen
class ShardMap(OverMesh):
    """A program run once for each position along some axes of a mesh, on the shards of its operands there.

    Collectives of the body name those axes (`manual_axes`, in the order of the mesh). A layout names the manual axes
    along which an operand is partitioned, or a result assembled; along the others an operand is replicated, and a
    result has to be. With `checked` the body is known to satisfy this, and derivatives treat a value as one value along
    each axis over which it does not vary; see `treadle_ir.sharding.varying`.

    Constraints:
        (C1) one layout for each operand and each result, with an entry for each axis, of manual axes, each once
        (C2) sizes are divisible, and the body takes the shards
        (C3) manual axes are axes of the mesh
    """

    takes_keys: ClassVar[bool] = True
    computes: ClassVar[bool] = False
    name: ClassVar[str] = "shard_map"
    body: Program
    mesh: AbstractMesh
    in_layouts: tuple[DimShardings, ...]
    out_layouts: tuple[DimShardings, ...]
    manual_axes: tuple[str, ...]
    checked: bool = True
    device_ids: tuple[int, ...] = ()

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the global types of the body's results."""
        if not {*self.manual_axes} <= {*self.mesh.axis_names}:  # C3
            raise ShardingError(
                f"shard_map: {self.manual_axes} are not all axes of the mesh, {self.mesh.axis_names}"
            )
        results = self.body.result_types
        for what, layouts, types in (
            ("operand", self.in_layouts, operands),
            ("result", self.out_layouts, results),
        ):
            if len(layouts) != len(types):
                raise ShardingError(
                    f"shard_map: there are {len(layouts)} layouts for {len(types)} {what}s"
                )
            for layout, type in zip(layouts, types, strict=True):
                self._check_layout(what, layout, type)
        parameters = self.body.parameter_types
        if len(parameters) != len(operands):
            raise ShardingError(
                f"shard_map: {len(operands)} operands for a body with {len(parameters)} parameters"
            )
        for position, (type, part) in enumerate(zip(operands, parameters, strict=True)):  # C2
            assert isinstance(type, ArrayType)
            shape = part_shape(
                type.shape, self.in_layouts[position], self.mesh, f"operand {position}"
            )
            if type.with_shape(shape).strong() != part.strong():
                raise ShardingError(
                    f"shard_map: operand {position} is {type}, whose parts are {type.with_shape(shape)}, "
                    f"but the body takes {part}"
                )
        return tuple(
            [
                whole_type(type, layout, self.mesh)
                for type, layout in zip(results, self.out_layouts, strict=True)
            ]
        )

    def _check_layout(self, what: str, layout: DimShardings, type: Type) -> None:
        assert isinstance(type, ArrayType), "parts are of arrays"
        named = [name for names in layout for name in names or ()]
        if (
            len(layout) != type.ndim
            or None in layout
            or len({*named}) != len(named)
            or not {*named} <= {*self.manual_axes}
        ):
            raise ShardingError(
                f"shard_map: {layout} is not a layout of a {what} of type {type} over {self.manual_axes}"
            )

    def effects(self, *operands: Type) -> Effects:
        """Return the body's effects, except the named axes that are bound here."""
        own = {NamedAxis(name) for name in self.manual_axes}
        return self.body.effects - own

    def programs(self) -> Mapping[str, Program]:
        """Return the body as the only program."""
        return {"body": self.body}

    def with_regions(self, programs: Sequence[Program]) -> ShardMap:
        """Return the same operation around another body."""
        (body,) = programs
        return replace(self, body=body)

    def flows(self) -> Flows:
        """Return the flows: shards of the operands to parameters, and the devices' results to shards of the results."""
        return call_flows(self.body)

    @property
    def size(self) -> int:
        """The greatest number of shards: the number of positions along the manual axes."""
        return prod([self.mesh.shape[name] for name in self.manual_axes])

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Bind the manual axes within this context, so that collectives may name them."""
        with inside_axes(self.mesh, self.manual_axes, self.checked):
            yield


@contextmanager
def inside_axes(mesh: AbstractMesh, manual_axes: tuple[str, ...], checked: bool) -> Iterator[None]:
    """Bind manual axes of a mesh within this context, so that collectives may name them."""
    with ExitStack() as stack:
        for name in manual_axes:
            kind = "manual" if checked else "unchecked"
            stack.enter_context(named_axis(name, mesh.shape[name], kind))  # type: ignore[arg-type]
        yield


def whole_type(part: Type, layout: DimShardings, mesh: AbstractMesh) -> ArrayType:
    """The type of an array whose parts are of a type."""
    assert isinstance(part, ArrayType), "parts are of arrays"
    counts = parts_of(layout, mesh)
    return part.with_shape(
        tuple([size * count for size, count in zip(part.shape, counts, strict=True)])
    )


def axes_of(layout: DimShardings) -> frozenset[str]:
    """The axes of the mesh that a layout cuts along."""
    return frozenset([name for names in layout for name in names or ()])
