"""Examples of layouts over the axes of a mesh."""

from __future__ import annotations

from typing import Final

from treadle_ir.core.mesh import AbstractMesh, AxisType
from treadle_ir.primitives.sharding import InspectSharding, ShardingConstraint
from treadle_ir.testing.examples import Example, example

_MESH: Final = AbstractMesh((2, 1), ("x", "y"))
_EXPLICIT: Final = AbstractMesh((2,), ("x",), (AxisType.Explicit,))


def _ignore(sharding: object) -> None:
    """Ignore a sharding; only called where there are devices."""


EXAMPLES: Final[list[Example]] = [
    example(ShardingConstraint(_MESH, ()), "f32[]"),
    example(ShardingConstraint(_MESH, (("x",), ())), "f64[4,3]"),
    example(ShardingConstraint(_MESH, (None, ("x", "y"))), "c64[3,4]"),
    example(ShardingConstraint(_EXPLICIT, (("x",),), (0, 1)), "i32[0]", label="of devices"),
    example(ShardingConstraint(_EXPLICIT, ((),), unreduced=("x",)), "f32[3]", label="a sum"),
    example(ShardingConstraint(_EXPLICIT, (), reduced=("x",)), "c128[]", label="reduced"),
    *[
        example(InspectSharding(_ignore), text, parses=False)
        for text in ("f32[4,3]", "f32[]", "f32[0]")
    ],
]
