"""The current mesh, and which of its axes are explicit, or manual and checked."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Final, final

from treadle_ir.core.mesh import AbstractMesh, AxisType, MeshAxes
from treadle_ir.core.types import INVARIANT, Varying
from treadle_ir.settings.context import Context, Setting, current_context, overriding


@final
class _ExplicitMeshes:
    """All meshes with explicit axes: under these, operations are looked at one by one."""

    __slots__ = ()

    def __contains__(self, mesh: object) -> bool:
        return isinstance(mesh, MeshAxes) and bool(mesh.explicit_axes)


def _parsed(value: object) -> MeshAxes | None:
    if value is None or isinstance(value, MeshAxes):
        return value
    raise ValueError("is not a mesh")


# `set_mesh` sets it: it is none of those that users set by name.
MESH: Final[Setting[MeshAxes | None]] = Setting(
    "_mesh",
    None,
    parse=_parsed,
    help="The mesh that partition specifications without one are over: a Mesh, or an AbstractMesh.",
    stepwise=_ExplicitMeshes(),
)


def explicit_mesh(context: Context | None = None) -> AbstractMesh | None:
    """The mesh whose explicit axes count, here or in a context; None where there are none.

    The axes of a shard_map around the running code are the user's: they do not count.
    """
    where = current_context() if context is None else context
    mesh = where.get(MESH)
    if mesh is None or not mesh.explicit_axes:
        return None
    axes: AbstractMesh = mesh.axes
    manual = [name for name, _, kind in where.axes if kind != "mapped" and name in mesh.axis_names]
    if manual:
        axes = axes.with_types(AxisType.Manual, [str(name) for name in manual])
    return axes if axes.explicit_axes else None


def checked_manual_axes(context: Context | None = None) -> Varying:
    """Return the axes of the enclosing `shard_map`s, here or in a context, that check what varies."""
    axes = (current_context() if context is None else context).axes
    if not axes:
        return INVARIANT
    return frozenset([name for name, _, kind in axes if kind == "manual" and isinstance(name, str)])


_NO_AXES: Final = AbstractMesh((), ())
_AS_IT_IS: Final = nullcontext()  # entered by all who change nothing


def over_mesh(mesh: MeshAxes | None) -> AbstractContextManager[None]:
    """`with over_mesh(mesh):` has a mesh in force, with its explicit axes; None leaves things as they are."""
    if mesh is None:
        return _AS_IT_IS
    return overriding(lambda context: context.replaced(MESH, mesh))


def over_mesh_of(operands: Iterable[object]) -> AbstractContextManager[None]:
    """`with over_mesh_of(operands):` has the mesh in force whose explicit axes the types of operands show.

    Where a mesh is in force already, it stays.
    """
    if current_context().get(MESH) is None:
        for x in operands:
            asked = getattr(
                x, "__treadle_mesh__", None
            )  # a third of the time of asking for its class
            mesh = None if asked is None else asked()
            if mesh is not None:
                return over_mesh(mesh)
    return _AS_IT_IS


def auto_axes(axes: Iterable[str] | None = None) -> overriding:
    """Make explicit axes, all or some, automatic in a `with` block: the compiler chooses shardings, no rule does."""

    def automatic(context: Context) -> Context:
        mesh = context.get(MESH)
        if mesh is None:  # nor is one taken from operands
            return context.replaced(MESH, _NO_AXES)
        if not mesh.explicit_axes:
            return context
        named = mesh.explicit_axes if axes is None else axes
        return context.replaced(MESH, mesh.with_types(AxisType.Auto, named))

    return overriding(automatic)
