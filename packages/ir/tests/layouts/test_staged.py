from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import (
    MESH as IN_FORCE,
    ArrayType,
    AxisType,
    ShardingTypeError,
    explicit_mesh,
    layout_of_operand,
    left_to_the_compiler,
    named_axis,
    ops,
    program_layouts,
    stage_tree,
)
from treadle_ir.array import Array
from treadle_ir.testing.layouts import MESH

TYPE = ArrayType((8, 4), np.dtype("f4"))
ROWS = (("x",), ())
SEEN: list[object] = []


def shown(x: Array) -> Array:
    SEEN.append(layout_of_operand(x, MESH))
    return x


def test_values_lie_as_rules_say() -> None:
    SEEN.clear()
    with IN_FORCE.override(MESH):
        staged, _ = stage_tree(
            lambda x: ([shown(ops.reduce_add(shown(x), axes=(1,)))], None), TYPE, layouts=[ROWS]
        )
    assert SEEN == [ROWS, (("x",),)]
    assert staged.layouts == ((("x",),),)
    # What the compiler could lay otherwise, it is told.
    assert [e.primitive.name for e in staged.program.equations] == [
        "reduce_add",
        "sharding_constraint",
    ]
    assert program_layouts(staged.program, [ROWS], MESH) == ((("x",),),)


def test_nothing_is_asked_without_explicit_axes() -> None:
    automatic = MESH.with_types(AxisType.Auto, MESH.axis_names)
    for mesh in (None, automatic):
        with IN_FORCE.override(mesh):
            staged, _ = stage_tree(lambda x: ([ops.reduce_add(x, axes=(1,))], None), TYPE)
        assert staged.layouts is None
        assert len(staged.program.equations) == 1


def test_a_part_can_be_left_to_the_compiler() -> None:
    def product(x: Array) -> tuple[list[Array], None]:
        with left_to_the_compiler():
            y = ops.dot_general(x, x, contracting=((0,), (0,)))
        return [shown(y)], None

    SEEN.clear()
    with IN_FORCE.override(MESH):
        staged, _ = stage_tree(product, TYPE, layouts=[ROWS])
        assert SEEN == [None]
        assert staged.layouts == (None,)
        with pytest.raises(ShardingTypeError, match="ambiguous"):
            stage_tree(
                lambda x: ([ops.dot_general(x, x, contracting=((0,), (0,)))], None),
                TYPE,
                layouts=[ROWS],
            )


def test_of_operands_that_nobody_knows_nobody_knows_the_result() -> None:
    with IN_FORCE.override(MESH):
        staged, _ = stage_tree(lambda x: ([ops.sine(x)], None), TYPE)
    assert staged.layouts == (None,)


def test_axes_of_a_shard_map_do_not_count() -> None:
    with IN_FORCE.override(MESH):
        assert explicit_mesh() == MESH
        with named_axis("x", 4, "manual"):
            inner = explicit_mesh()
            assert inner is not None
            assert inner.explicit_axes == ("y",)
            with named_axis("y", 2, "manual"):
                assert explicit_mesh() is None
