"""Programs for several devices: how parameters and results lie over the axes of a mesh, in Shardy's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from treadle_ir import AbstractMesh, Layout, frozen


@final
@frozen
class Partitioning:
    """How the parameters and results of a program lie over the axes of a mesh.

    `None` for a result leaves it to XLA, which says what it chose.
    """

    mesh: AbstractMesh
    parameters: tuple[Layout, ...]
    results: tuple[Layout | None, ...]


def mesh_text(name: str, axes: Sequence[tuple[str, int]]) -> str:
    """The declaration of a mesh: `sdy.mesh @mesh = <["x"=4, "y"=2]>`."""
    listed = ", ".join([f"{_quoted(axis)}={size}" for axis, size in axes])
    return f"sdy.mesh {name} = <[{listed}]>"


def layout_text(layout: Layout) -> str:
    """A layout: `[{"x"}, {}, {?}]`; the question mark leaves an axis to XLA."""
    parts = [
        "{?}" if names is None else "{" + ", ".join([_quoted(name) for name in names]) + "}"
        for names in layout
    ]
    return f"[{', '.join(parts)}]"


def sharding_text(mesh: str, layout: Layout) -> str:
    """A layout over a mesh of that name, as an attribute."""
    return f"#sdy.sharding<{mesh}, {layout_text(layout)}>"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
