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
    """All meshes with explicit axes: under these, operations are processed one by one."""

    __slots__ = ()

    def __contains__(self, mesh: object) -> bool:
        return isinstance(mesh, MeshAxes) and bool(mesh.explicit_axes)


def _parsed(value: object) -> MeshAxes | None:
    if value is None or isinstance(value, MeshAxes):
        return value
    raise ValueError("is not a mesh")


# `set_mesh` sets it; users cannot set it by name.
MESH: Final[Setting[MeshAxes | None]] = Setting(
    "_mesh",
    None,
    parse=_parsed,
    help="The mesh that partition specifications without one are over: a Mesh, or an AbstractMesh.",
    op_by_op=_ExplicitMeshes(),
)


def explicit_mesh(context: Context | None = None) -> AbstractMesh | None:
    """Return the mesh whose explicit axes are in force, here or in `context`, or None if there are no such axes.

    The axes of a shard_map around the running code are manual, not explicit.
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
    """Return the axes of the enclosing `shard_map`s, here or in `context`, that check varying axes."""
    axes = (current_context() if context is None else context).axes
    if not axes:
        return INVARIANT
    return frozenset([name for name, _, kind in axes if kind == "manual" and isinstance(name, str)])


_NO_AXES: Final = AbstractMesh((), ())
_AS_IT_IS: Final = nullcontext()  # shared by all calls that change nothing


def over_mesh(mesh: MeshAxes | None) -> AbstractContextManager[None]:
    """Put a mesh in force for a `with` block, with its explicit axes; None changes nothing."""
    if mesh is None:
        return _AS_IT_IS
    return overriding(lambda context: context.replaced(MESH, mesh))


def over_mesh_of(operands: Iterable[object]) -> AbstractContextManager[None]:
    """Put the mesh in force for a `with` block over whose explicit axes the types of operands show shardings.

    A mesh that is in force already stays in force.
    """
    if current_context().get(MESH) is None:
        for x in operands:
            asked = getattr(
                x, "__treadle_mesh__", None
            )  # takes a third of the time of a test of its class
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
