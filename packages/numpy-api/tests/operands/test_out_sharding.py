from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import AbstractMesh, AxisType, MissingRuleError
from treadle_ir.tracing import MESH, explicit_mesh, install, ports
from treadle_numpy import lax
from treadle_numpy.arrays import methods
from treadle_numpy.arrays.at import at

EXPLICIT = AbstractMesh((2,), ("x",), (AxisType.Explicit,))
ASKED: list[Any] = []


class Recorder:
    """Records the requested shardings; arrays stay where they are."""

    def reshard(self, xs: Any, out_shardings: Any) -> Any:
        assert explicit_mesh() is EXPLICIT  # the result is resharded under the user's mesh
        ASKED.append(out_shardings)
        return xs

    def with_sharding_constraint(self, x: Any, shardings: Any) -> Any:
        raise AssertionError("results are resharded, not constrained")


@pytest.fixture
def resharder(monkeypatch: pytest.MonkeyPatch) -> None:
    ASKED.clear()
    monkeypatch.setattr(ports.installed, "sharding", None)
    install(sharding=Recorder())


X: Any = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.usefixtures("resharder")
def test_results_get_the_requested_sharding() -> None:
    with MESH.override(EXPLICIT):
        calls = {
            "lax.full": lax.full((2, 3), 7.0, sharding="lax.full"),
            "lax.full_like": lax.full_like(X, 7.0, sharding="lax.full_like"),
            "zeros": tnp.zeros((2, 3), out_sharding="zeros"),
            "ones": tnp.ones_like(X, out_sharding="ones"),
            "full": tnp.full((2, 3), 7.0, out_sharding="full"),
            "reshape": methods.reshape(X, 3, 2, out_sharding="reshape"),
            "ravel": tnp.ravel(X, out_sharding="ravel"),
            "dot": lax.dot(X, X.T, out_sharding="dot"),
            "einsum": tnp.einsum("ij,ij->", X, X, out_sharding="einsum"),
            "reduce": lax.reduce_sum(X, (0,), out_sharding="reduce"),
            "get": at(X)[0].get(out_sharding="get"),
            "divide": at(X)[0].divide(2.0, out_sharding="divide"),
        }
    assert list(calls) == ASKED
    assert np.array_equal(calls["lax.full_like"], np.full((2, 3), 7.0))
    assert np.array_equal(calls["reshape"], X.reshape(3, 2))
    assert np.array_equal(calls["dot"], X @ X.T)
    assert np.array_equal(calls["einsum"], np.sum(X * X))
    assert np.array_equal(calls["get"], X[0])
    assert np.array_equal(calls["divide"], [X[0] / 2, X[1]])


def test_without_a_runtime_nothing_can_be_sharded() -> None:
    with pytest.raises(MissingRuleError, match="matmul needs devices"):
        tnp.matmul(X, X.T, out_sharding="x")
