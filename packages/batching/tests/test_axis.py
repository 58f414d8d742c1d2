from __future__ import annotations

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_batching.axis import divided_by
from treadle_ir import AbstractMesh, Array, ArrayType, AxisType, Sharding, ops
from treadle_ir.errors import ShardingTypeError
from treadle_ir.sharding import sharding_of
from treadle_ir.tracing import MESH, stage_tree

EXPLICIT = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)
TYPE = ArrayType((8, 4), np.dtype("f4"))
ROWS, PAIRS = (("x",), ()), (("y",), ())


def sharded(dims: tuple[tuple[str, ...], ...]) -> ArrayType:
    return TYPE.with_sharding(Sharding(EXPLICIT, dims))


def test_what_divides_the_mapped_axis() -> None:
    def function(x: Array, y: Array) -> tuple[list[Array], None]:
        assert divided_by([x, y], [0, None]) == ("x",)
        assert divided_by([x], [1]) == ()
        with pytest.raises(ShardingTypeError, match="is sharded over"):
            divided_by([x, y], [0, 0])
        return [x], None

    with MESH.override(EXPLICIT):
        stage_tree(function, sharded(ROWS), sharded(PAIRS))
    assert divided_by([np.ones(3)], [0]) is None  # no explicit axes are in force


def test_an_element_is_sharded_without_the_mapped_axis_and_a_constraint_keeps_it() -> None:
    seen = []

    def row(x: Array) -> Array:
        seen.append(sharding_of(x, EXPLICIT))
        return ops.sharding_constraint(x, mesh=EXPLICIT, layout=(("y",),))

    with MESH.override(EXPLICIT):
        staged, _ = stage_tree(lambda x: ([vmap(row)(x)], None), sharded(ROWS))
    assert seen == [Sharding(EXPLICIT, ((),))]
    assert staged.program.result_types[0].sharding == Sharding(EXPLICIT, (("x",), ("y",)))
