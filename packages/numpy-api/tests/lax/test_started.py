"""A collective in two halves is the collective."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArrayType, equal_programs, stage
from treadle_ir.settings import named_axis
from treadle_numpy import lax

ONE = ArrayType((8, 3), np.dtype(np.float32))


@pytest.mark.parametrize(
    "options",
    [
        {"tiled": True},
        {"tiled": True, "axis_index_groups": [[0, 1], [2, 3]]},
        {"tiled": True, "scatter_dimension": 0},
    ],
)
def test_both_halves_are_the_collective(options) -> None:
    with named_axis("i", 4):
        whole = stage(lambda x: [lax.psum_scatter(x, "i", **options)], ONE)
        halves = stage(lambda x: [lax.psum_scatter_start(x, "i", **options).done()], ONE)
    assert equal_programs(whole.program, halves.program)


def test_a_tree_is_waited_for_as_a_whole() -> None:
    def both(x):
        found = lax.psum_scatter_start({"a": x, "b": [2 * x]}, "i", tiled=True).done()
        return [found["a"], found["b"][0]]

    with named_axis("i", 4):
        staged = stage(both, ONE)
    assert [str(type) for type in staged.program.result_types] == ["f32[2,3]", "f32[2,3]"]


def test_it_may_be_waited_for_twice() -> None:
    def twice(x):
        future = lax.psum_scatter_start(x, "i", tiled=True)
        return [future.done() + future.done()]

    with named_axis("i", 4):
        assert len(stage(twice, ONE).program.equations) == 2


def test_a_future_shows_the_type_and_is_no_array() -> None:
    shown = []

    def first(x):
        future = lax.psum_scatter_start(x, "i", tiled=True)
        shown.append(repr(future))
        with pytest.raises(TypeError):
            future + 1
        return [future.done()]

    with named_axis("i", 4):
        stage(first, ONE)
    assert shown == ["Future(f32[2,3])"]


def test_an_axis_that_is_not_mapped() -> None:
    with pytest.raises(NameError):
        lax.psum_scatter_start(np.ones(4, np.float32), "i")
