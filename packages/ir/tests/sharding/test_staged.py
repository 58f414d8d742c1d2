from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArrayType, AxisType, Sharding, ops
from treadle_ir.errors import ShardingTypeError
from treadle_ir.settings import named_axis
from treadle_ir.sharding import sharding_of
from treadle_ir.sharding.specialised import specialised
from treadle_ir.testing.shardings import MESH, sharded
from treadle_ir.tracing import MESH as IN_FORCE, auto_axes, explicit_mesh, stage_tree
from treadle_ir.tracing.array import Array

TYPE = ArrayType((8, 4), np.dtype("f4"))
ROWS = (("x",), ())
SHARDED = TYPE.with_sharding(Sharding(MESH, ROWS))
SEEN: list[object] = []


def shown(x: Array) -> Array:
    SEEN.append(sharding_of(x, MESH))
    return x


def test_values_are_sharded_by_the_rules() -> None:
    SEEN.clear()
    with IN_FORCE.override(MESH):
        staged, _ = stage_tree(
            lambda x: ([shown(ops.reduce_add(shown(x), axes=(1,)))], None), SHARDED
        )
    assert [Sharding(MESH, ROWS), Sharding(MESH, (("x",),))] == SEEN
    assert staged.program.result_types == (sharded("8@x"),)
    # The compiler gets a constraint where it could shard a value differently.
    assert [e.primitive.name for e in staged.program.equations] == [
        "reduce_add",
        "sharding_constraint",
    ]
    assert specialised(staged.program, [SHARDED], MESH) is staged.program
    again = specialised(staged.program, [TYPE], MESH)
    assert again.parameter_types == (TYPE,)
    assert specialised(again, [SHARDED], MESH).result_types == (sharded("8@x"),)


def test_nothing_is_asked_without_explicit_axes() -> None:
    automatic = MESH.with_types(AxisType.Auto, MESH.axis_names)
    for mesh in (None, automatic):
        with IN_FORCE.override(mesh):
            staged, _ = stage_tree(lambda x: ([ops.reduce_add(x, axes=(1,))], None), TYPE)
        assert staged.program.result_types == (ArrayType((8,), np.dtype("f4")),)
        assert len(staged.program.equations) == 1


def test_a_part_can_be_left_to_the_compiler() -> None:
    def product(x: Array) -> tuple[list[Array], None]:
        with auto_axes():
            y = ops.dot_general(x, x, contracting=((0,), (0,)))
        return [shown(y)], None

    SEEN.clear()
    with IN_FORCE.override(MESH):
        staged, _ = stage_tree(product, SHARDED)
        assert SEEN == [None]
        assert staged.program.result_types[0].sharding is None
        with pytest.raises(ShardingTypeError, match="ambiguous"):
            stage_tree(
                lambda x: ([ops.dot_general(x, x, contracting=((0,), (0,)))], None),
                SHARDED,
            )


def test_results_of_unknown_shardings_are_unknown() -> None:
    with IN_FORCE.override(MESH):
        staged, _ = stage_tree(lambda x: ([ops.sine(x)], None), TYPE)
    assert staged.program.result_types[0].sharding is None


def test_axes_of_a_shard_map_do_not_count() -> None:
    with IN_FORCE.override(MESH):
        assert explicit_mesh() == MESH
        with named_axis("x", 4, "manual"):
            inner = explicit_mesh()
            assert inner is not None
            assert inner.explicit_axes == ("y",)
            with named_axis("y", 2, "manual"):
                assert explicit_mesh() is None
