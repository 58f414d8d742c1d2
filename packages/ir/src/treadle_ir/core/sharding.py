"""`Sharding`: how an array is partitioned over the explicit axes of a mesh, as a part of its type.

A type without a sharding specifies none: there is no mesh with explicit axes, or the compiler decides. A sharding that
partitions nothing means that the array is replicated. See decisions/0143-shardings-in-types.md.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, final
from weakref import WeakValueDictionary

from treadle_ir.core.partial import NO_PARTIAL_SUMS, PartialSums, partial_sums_of, with_partial_sums
from treadle_ir.errors.lazily import import_module
from treadle_ir.process.fork import fork_safe_lock

if TYPE_CHECKING:
    from treadle_ir.core.mesh import AbstractMesh, ClosedDimShardings


@final
class Sharding:
    """The axes of `mesh` that partition each axis of an array, and the axes over which it is a partial sum.

    Shardings are interned, as types are: equal ones are one object. They are immutable.

    Args:
        mesh: the axes of the mesh; only explicit ones may divide.
        dims: for each axis of the array, the names of the axes that divide it, major to minor. A `PartialDimShardings`
            also names the axes over which the array, or its cotangents, are partial sums.

    Example:
        >>> from treadle_ir import AbstractMesh, AxisType
        >>> mesh = AbstractMesh((4,), ("x",), (AxisType.Explicit,))
        >>> Sharding(mesh, (("x",), ())) is Sharding(mesh, (("x",), ()))
        True
    """

    __slots__ = ("__weakref__", "dims", "mesh")

    mesh: AbstractMesh
    dims: ClosedDimShardings

    _interned: ClassVar[WeakValueDictionary[tuple[Any, ...], Sharding]] = WeakValueDictionary()
    _lock: ClassVar[threading.Lock] = fork_safe_lock()

    def __new__(cls, mesh: AbstractMesh, dims: ClosedDimShardings) -> Sharding:
        """Return the one sharding over this mesh that divides so."""
        key = (mesh, dims)
        with cls._lock:
            found = cls._interned.get(key)
            if found is None:
                found = object.__new__(cls)
                object.__setattr__(found, "mesh", mesh)
                object.__setattr__(found, "dims", dims)
                cls._interned[key] = found
        return found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Sharding is immutable; `{name}` cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return Sharding, (self.mesh, self.dims)

    def __copy__(self) -> Sharding:
        return self

    def __deepcopy__(self, memo: object) -> Sharding:
        return self

    @property
    def partial(self) -> PartialSums:
        """The axes over which the array, or its cotangents, are partial sums."""
        return partial_sums_of(self.dims)

    @property
    def is_replicated(self) -> bool:
        """Whether nothing is divided, and no sum is partial."""
        return not any(self.dims) and partial_sums_of(self.dims) is NO_PARTIAL_SUMS

    def without_leading_axis(self) -> Sharding:
        """Return the sharding of the elements along the leading axis."""
        return Sharding(self.mesh, with_partial_sums(self.dims[1:], self.partial))

    def over(self, mesh: AbstractMesh) -> Sharding:
        """Return the part of this sharding over the explicit axes of `mesh`."""
        if mesh is self.mesh or mesh == self.mesh:
            return self
        return explicit_part(self.dims, mesh)

    def __str__(self) -> str:
        return braces(self)

    def __repr__(self) -> str:
        return f"Sharding({self.mesh!r}, {self.dims!r})"


def explicit_part(dims: Any, mesh: AbstractMesh) -> Sharding:
    """Return the part of dimension shardings over the explicit axes of `mesh`; automatic axes count as replicated.

    Any: `DimShardings`, whose entries may be None.
    """
    shown = mesh.explicit_axes
    divided = tuple([tuple([n for n in names or () if n in shown]) for names in dims])
    return Sharding(mesh, with_partial_sums(divided, partial_sums_of(dims).over(shown)))


def replicated(ndim: int, mesh: AbstractMesh) -> Sharding:
    """Return the fully replicated sharding over `mesh` of an array with `ndim` axes."""
    return Sharding(mesh, ((),) * ndim)


def names_text(names: Sequence[str]) -> str:
    """Return axes of a mesh as types show them: `x`, or `(x,y)`; names that are not identifiers are quoted."""
    written = [name if name.isascii() and name.isidentifier() else _quoted(name) for name in names]
    return written[0] if len(written) == 1 else f"({','.join(written)})"


def _quoted(name: str) -> str:
    quoted: Callable[[str], str] = import_module("treadle_ir.core.printing").quoted
    return quoted(name)


def sizes_text(shape: Sequence[int], dims: ClosedDimShardings | None) -> str:
    """Return sizes with the axes of the mesh that divide them: `8@x,4`, `8@(x,y),4`."""
    if dims is None:
        return ",".join(map(str, shape))
    return ",".join(
        [
            f"{size}@{names_text(names)}" if names else f"{size}"
            for size, names in zip(shape, dims, strict=True)
        ]
    )


def braces(sharding: Sharding, mesh: str = "") -> str:
    """Return the text of a sharding after a type's sizes: `{U:x}`, or nothing if the sizes show all of it.

    Args:
        sharding: the sharding of the type.
        mesh: the name of its mesh in the text, such as `@mesh1`; empty for the first one.
    """
    partial = [
        f"{letter}:{names_text(sorted(names))}"
        for letter, names in zip("UR", sharding.partial, strict=True)
        if names
    ]
    inner = ",".join([mesh, *partial] if mesh else partial)
    return f"{{{inner}}}" if inner or not any(sharding.dims) else ""
