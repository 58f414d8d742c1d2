"""Meshes without devices: named axes over which arrays can be sharded, and shardings over them.

`AbstractMesh` has the names, sizes and kinds of the axes; a mesh of devices is treadle_runtime's. A `PartitionSpec` is
what users write; `DimShardings` are the same for an array of known rank, as programs and keys have it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from enum import Enum
from math import prod
from typing import Any, TypeAlias, final

from treadle_ir.core.partial import partial_sums_of, with_partial_sums
from treadle_ir.core.partition_spec import UNCONSTRAINED, PartitionSpec
from treadle_ir.core.registry import register
from treadle_ir.errors.argument_checks import integers, refused, sequence
from treadle_ir.errors.kinds import ArgumentError, ShardingError
from treadle_ir.process.frozen_classes import frozen

DimShardings: TypeAlias = tuple[tuple[str, ...] | None, ...]
"""For each axis of an array the axes of the mesh that divide it, major to minor; None leaves it to the compiler.

Of an array of partial sums, it is a `PartialDimShardings`.
"""

ClosedDimShardings: TypeAlias = tuple[tuple[str, ...], ...]
"""Dimension shardings that leave nothing to the compiler: how an array is sharded over explicit axes."""


@register
@final
class AxisType(Enum):
    """Who decides how arrays are sharded over an axis of a mesh."""

    Auto = "auto"  # the compiler, from the shardings of arguments, results and constraints
    Explicit = "explicit"  # the user: results' shardings follow from operands, and types show them
    Manual = "manual"  # the user: within shard_map, where the program sees one shard

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__


@final
@frozen
class AbstractDevice:
    """A description of devices that need not exist in this process.

    Example:
        >>> from treadle.sharding import AbstractDevice, AbstractMesh
        >>> kind = AbstractDevice("TPU v4", 2, "tpu")
        >>> AbstractMesh((4,), ("x",), abstract_device=kind).abstract_device.device_kind
        'TPU v4'
    """

    device_kind: str
    num_cores: int | None
    platform: str


class MeshAxes:
    """The interface of every mesh: its axes by name and size."""

    __slots__ = ()
    axis_sizes: tuple[int, ...]
    axis_names: tuple[str, ...]
    axis_types: tuple[AxisType, ...]

    @property
    def abstract_mesh(self) -> AbstractMesh:
        """The same mesh without devices, but with their kind."""
        raise AssertionError("each mesh says which")

    @property
    def axes(self) -> AbstractMesh:
        """The axes alone, as in programs."""
        return AbstractMesh(self.axis_sizes, self.axis_names, self.axis_types)

    @property
    def shape(self) -> OrderedDict[str, int]:
        """The sizes of the axes by name."""
        return OrderedDict(zip(self.axis_names, self.axis_sizes, strict=True))

    @property
    def shape_tuple(self) -> tuple[tuple[str, int], ...]:
        """The names and sizes of the axes, in order."""
        return tuple(zip(self.axis_names, self.axis_sizes, strict=True))

    @property
    def size(self) -> int:
        """The number of devices."""
        return prod(self.axis_sizes) if self.axis_names else 0

    @property
    def empty(self) -> bool:
        """Whether the mesh has no axes."""
        return not self.axis_names

    def with_types(self, kind: AxisType, names: Iterable[str]) -> Any:
        """Return the same mesh with the type `kind` for the axes `names`; Any: of the same class."""
        raise AssertionError("each mesh says how")

    def _of_type(self, kind: AxisType) -> tuple[str, ...]:
        return tuple(
            [n for n, t in zip(self.axis_names, self.axis_types, strict=True) if t is kind]
        )

    @property
    def auto_axes(self) -> tuple[str, ...]:
        """The names of the axes over which the compiler chooses shardings."""
        return self._of_type(AxisType.Auto)

    @property
    def explicit_axes(self) -> tuple[str, ...]:
        """The names of the axes over which types show shardings."""
        return self._of_type(AxisType.Explicit)

    @property
    def manual_axes(self) -> tuple[str, ...]:
        """The names of the manual axes, within shard_map."""
        return self._of_type(AxisType.Manual)

    def _all_of_type(self, kind: AxisType) -> bool:
        return bool(self.axis_types) and all([each is kind for each in self.axis_types])

    @property
    def are_all_axes_auto(self) -> bool:
        """Whether the mesh has axes, and all are Auto."""
        return self._all_of_type(AxisType.Auto)

    @property
    def are_all_axes_explicit(self) -> bool:
        """Whether the mesh has axes, and all are Explicit."""
        return self._all_of_type(AxisType.Explicit)

    @property
    def are_all_axes_manual(self) -> bool:
        """Whether the mesh has axes, and all are Manual."""
        return self._all_of_type(AxisType.Manual)

    @property
    def are_all_axes_explicit_or_manual(self) -> bool:
        """Whether the mesh has axes, and none is Auto."""
        return bool(self.axis_types) and AxisType.Auto not in self.axis_types

    def _text(self) -> str:
        axes = ", ".join([f"{name!r}: {size}" for name, size in self.shape_tuple])
        types = f"axis_types={self.axis_types!r}"
        return f"{axes or '()'}, {types}"


@register
@final
@frozen
class AbstractMesh(MeshAxes):
    """The axes of a mesh, without devices: the part of a mesh that programs depend on.

    `abstract_device` is the kind of the devices, if it is known; programs leave it out. Meshes that differ in it are
    not equal.

    Constraints:
        (C1) as many names and types as sizes; names are strings, all different; sizes are positive

    Raises:
        ArgumentError: (C1) does not hold, or `abstract_device` is not an `AbstractDevice`.

    Example:
        >>> from treadle_ir import AbstractMesh
        >>> AbstractMesh((4, 2), ("x", "y")).shape["x"]
        4
    """

    axis_sizes: tuple[int, ...]
    axis_names: tuple[str, ...]
    axis_types: tuple[AxisType, ...] = ()
    abstract_device: AbstractDevice | None = None

    def __post_init__(self) -> None:
        if self.abstract_device is not None and not isinstance(
            self.abstract_device, AbstractDevice
        ):
            raise refused(
                "AbstractMesh", "abstract_device", "an AbstractDevice or None", self.abstract_device
            )
        sizes, names, types = checked_axes(
            "AbstractMesh", self.axis_sizes, self.axis_names, self.axis_types
        )
        put = object.__setattr__
        put(self, "axis_sizes", sizes)
        put(self, "axis_names", names)
        put(self, "axis_types", types)

    @property
    def abstract_mesh(self) -> AbstractMesh:
        """This mesh itself."""
        return self

    @property
    def axes(self) -> AbstractMesh:
        """This mesh without the kind of devices."""
        return self if self.abstract_device is None else super().axes

    def update(
        self,
        axis_sizes: object = None,
        axis_names: object = None,
        axis_types: object = None,
        **abstract_device: AbstractDevice | None,
    ) -> AbstractMesh:
        """Return the same mesh with other sizes, names or types of axes, or another `abstract_device` (a keyword).

        Raises:
            ArgumentError: (C1) does not hold for them.

        Example:
            >>> from treadle_ir import AbstractMesh
            >>> AbstractMesh((4, 2), ("x", "y")).update(axis_names=("u", "v"))
            AbstractMesh('u': 4, 'v': 2, axis_types=(Auto, Auto))
        """
        changes = {"axis_sizes": axis_sizes, "axis_names": axis_names, "axis_types": axis_types}
        given = {name: value for name, value in changes.items() if value is not None}
        return replace(self, **given, **abstract_device)  # type: ignore[arg-type]  # the constructor checks

    def with_types(self, kind: AxisType, names: Iterable[str]) -> AbstractMesh:
        """Return the same mesh with the type `kind` for the axes `names`."""
        return self.update_axis_types(dict.fromkeys(names, kind))

    def update_axis_types(self, name_to_type: Mapping[str, AxisType]) -> AbstractMesh:
        """Return the same mesh with other types for the axes that `name_to_type` names.

        Example:
            >>> from treadle_ir import AbstractMesh, AxisType
            >>> AbstractMesh((4, 2), ("x", "y")).update_axis_types({"x": AxisType.Explicit})
            AbstractMesh('x': 4, 'y': 2, axis_types=(Explicit, Auto))
        """
        pairs = zip(self.axis_names, self.axis_types, strict=True)
        types = tuple([name_to_type.get(name, kind) for name, kind in pairs])
        return AbstractMesh(self.axis_sizes, self.axis_names, types, self.abstract_device)

    def __repr__(self) -> str:
        kind = self.abstract_device
        of = (
            ""
            if kind is None
            else (
                f", device_kind={kind.device_kind}, num_cores={kind.num_cores}, platform={kind.platform}"
            )
        )
        return f"AbstractMesh({self._text()}{of})"

    __str__ = __repr__


def checked_axes(
    what: str, axis_sizes: object, axis_names: object, axis_types: object
) -> tuple[tuple[int, ...], tuple[str, ...], tuple[AxisType, ...]]:
    """Return the sizes, names and types of the axes of a mesh, checked by (C1); without types, all are Auto.

    Raises:
        ArgumentError: (C1) does not hold.
    """
    sizes = integers(what, "axis_sizes", axis_sizes)
    names: tuple[Any, ...] = (
        (axis_names,) if isinstance(axis_names, str) else sequence(what, "axis_names", axis_names)
    )
    for name in names:
        if not isinstance(name, str):
            raise refused(what, "each of axis_names", "a string", name)
    if len(names) != len(sizes):
        raise ArgumentError(
            f"{what}: there are {len(sizes)} axes, of sizes {sizes}, but {len(names)} names, {names}",
            fix="give one name for each axis",
        )
    if len({*names}) != len(names):
        raise ArgumentError(
            f"{what}: the axis names {names} are not all different",
            fix="give each axis its own name",
        )
    for size in sizes:
        if size < 1:
            raise ArgumentError(
                f"{what}: axis sizes must be positive, got {sizes}",
                fix="leave such axes out, or make them 1",
            )
    if isinstance(axis_types, AxisType):
        types: tuple[Any, ...] = (axis_types,) * len(sizes)
    else:
        types = sequence(what, "axis_types", () if axis_types is None else axis_types)
        types = types or (AxisType.Auto,) * len(sizes)
    for kind in types:
        if not isinstance(kind, AxisType):
            raise refused(what, "each of axis_types", "an AxisType", kind)
    if len(types) != len(sizes):
        raise ArgumentError(
            f"{what}: there are {len(sizes)} axes, but {len(types)} axis types, {types}",
            fix="give one type for each axis",
        )
    return sizes, names, types


def check_names(spec: PartitionSpec, mesh: MeshAxes) -> None:
    """Check that `spec` names axes of `mesh`, each at most once, and that its unreduced and reduced axes are explicit.

    Raises:
        ShardingError: one of these does not hold.
    """
    for axis in spec.partial.axes:
        if axis not in mesh.explicit_axes:
            raise ShardingError(
                f"{spec}: the mesh has no explicit axis {axis!r}; its axes are {mesh.axis_names}, of the types "
                f"{mesh.axis_types}",
                fix="name an explicit axis: of others the compiler decides when sums are added up",
            )
    seen: set[Hashable] = set()
    for entry in spec:
        for name in entry if isinstance(entry, tuple) else (entry,):
            if not isinstance(name, str):
                continue
            if name not in mesh.axis_names:
                raise ShardingError(
                    f"{spec}: the mesh has no axis {name!r}; its axes are {mesh.axis_names}",
                    fix="name one of the axes of the mesh",
                )
            if name in seen:
                raise ShardingError(
                    f"{spec}: the mesh axis {name!r} stands there twice, but it can divide one axis of an array only",
                    fix="leave one of the two out",
                )
            seen.add(name)


def layout_of(spec: PartitionSpec, ndim: int, what: str = "the array") -> DimShardings:
    """A specification for an array of a rank.

    Raises:
        ShardingError: the specification has more entries than the array has axes.
    """
    if len(spec) > ndim:
        raise ShardingError(
            f"{spec} has {len(spec)} entries, but {what} has only {ndim} axes",
            fix="give at most one entry for each axis of the array",
        )
    found: list[tuple[str, ...] | None] = []
    for entry in spec:
        if entry is None or isinstance(entry, tuple):
            found.append(entry or ())
        else:
            found.append((entry,) if isinstance(entry, str) else None)
    return with_partial_sums((*found, *((),) * (ndim - len(found))), spec.partial)


def spec_of(layout: DimShardings) -> PartitionSpec:
    """The shortest specification of a layout.

    Example:
        >>> spec_of((("x",), ("y", "z"), ()))
        P('x', ('y', 'z'))
    """
    entries: list[object] = [UNCONSTRAINED if names is None else names for names in layout]
    while entries and entries[-1] == ():
        entries.pop()
    return PartitionSpec(*entries, **partial_sums_of(layout)._asdict())


def parts_of(layout: DimShardings, mesh: MeshAxes) -> tuple[int, ...]:
    """Into how many parts each axis of an array is divided."""
    sizes = mesh.shape
    return tuple([prod([sizes[name] for name in names or ()]) for names in layout])


def part_shape(
    shape: tuple[int, ...], layout: DimShardings, mesh: MeshAxes, what: str = "the array"
) -> tuple[int, ...]:
    """Return the shape of the shard of one device.

    Raises:
        ShardingError: the size of an axis is not a multiple of its number of shards.
    """
    parts = parts_of(layout, mesh)
    for axis, (size, count) in enumerate(zip(shape, parts, strict=True)):
        if size % count:
            raise ShardingError(
                f"{spec_of(layout)} divides axis {axis} of {what}, of shape {shape}, into {count} parts, "
                f"but its size {size} is not a multiple of {count}",
                fix="pad the array, or lay that axis over fewer devices",
            )
    return tuple([size // count for size, count in zip(shape, parts, strict=True)])
