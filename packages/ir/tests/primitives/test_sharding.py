"""What a constraint on a layout refuses."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import AbstractMesh, Operand, ops, stage, type_of
from treadle_ir.errors import ShardingError

X = np.ones((4, 2), np.float32)
MESH = AbstractMesh((2, 2), ("x", "y"))


def test_constraints() -> None:
    with pytest.raises(ShardingError, match=r"the layout has 1 entries, but .* has 2 axes"):  # C1
        ops.sharding_constraint(X, mesh=MESH, layout=(("x",),))
    with pytest.raises(ShardingError, match=r"names .*'z'"):  # C2
        ops.sharding_constraint(X, mesh=MESH, layout=(("z",), ()))
    with pytest.raises(ShardingError, match="names"):
        ops.sharding_constraint(X, mesh=MESH, layout=(("x",), ("x",)))


def test_the_elements_stay() -> None:
    assert np.array_equal(ops.sharding_constraint(X, mesh=MESH, layout=(("x",), None)), X)


def test_an_evaluation_without_devices_calls_no_callback() -> None:
    seen: list[object] = []
    ops.inspect_sharding(X, callback=seen.append)

    def looked(x: Operand) -> list[Operand]:
        ops.inspect_sharding(x, callback=seen.append)
        return [x]

    staged = stage(looked, type_of(X))
    assert seen == []
    (equation,) = staged.program.equations
    assert not equation.results
    assert staged.program.effects
