"""A mesh of one device shows the same shardings as a mesh of many: programs are written here, and run there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.sharding import AxisType, NamedSharding, PartitionSpec as P

HOW = pytest.mark.parametrize("how", [lambda f: f, treadle.jit], ids=["eager", "jit"])


@pytest.fixture
def mesh() -> Any:
    made = treadle.make_mesh((1, 1), ("a", "b"), axis_types=(AxisType.Explicit,) * 2)
    with treadle.set_mesh(made):
        yield made


@HOW
def test_results_are_sharded_as_the_typing_rules_say(mesh: Any, how: Any) -> None:
    x = treadle.device_put(np.ones((4, 6), np.float32), NamedSharding(mesh, P("a", "b")))
    cases: list[tuple[Any, str]] = [
        (lambda x: x + 1, "float32[4@a,6@b]"),
        (tnp.sin, "float32[4@a,6@b]"),
        (lambda x: x.sum(axis=0), "float32[6@b]"),
        (lambda x: x.T, "float32[6@b,4@a]"),
        (lambda x: x.reshape(4, 6, 1), "float32[4@a,6@b,1]"),
        (
            lambda x: lax.dot_general(x, x, (((1,), (1,)), ((), ())), out_sharding=P("a")),
            "float32[4@a,4]",
        ),
        (treadle.grad(lambda x: (x**2).sum()), "float32[4@a,6@b]"),
        (treadle.vmap(tnp.square), "float32[4@a,6@b]"),
        (lambda x: treadle.sharding.reshard(x, P(None, "b")), "float32[4,6@b]"),
    ]
    for function, type_ in cases:
        for _ in range(3):  # with what was planned meanwhile
            found = how(function)(x)
            assert str(treadle.typeof(found)) == type_
            np.testing.assert_allclose(found, function(np.ones((4, 6), np.float32)), rtol=1e-6)


@HOW
def test_also_without_a_mesh_in_force(how: Any) -> None:
    mesh = treadle.make_mesh((1,), ("a",), axis_types=(AxisType.Explicit,))
    x = treadle.device_put(np.ones(4, np.float32), NamedSharding(mesh, P("a")))
    assert how(lambda x: x * 2)(x).sharding == NamedSharding(mesh, P("a"))


def test_a_sharding_that_is_asked_for_is_that_of_the_result() -> None:
    mesh = treadle.make_mesh((1,), ("a",), axis_types=(AxisType.Auto,))
    wanted = NamedSharding(mesh, P("a"))
    one, two = treadle.jit(lambda x: (x + 1, x), out_shardings=(wanted, None))(np.ones(3))
    assert one.sharding == wanted
    assert one.committed
    assert two.sharding.device_set == wanted.device_set
    alone = treadle.sharding.SingleDeviceSharding(treadle.devices()[0])
    found = treadle.jit(lambda x: x + 1, out_shardings=alone)(np.ones(3))
    assert found.sharding == alone
    assert found.committed
