"""Modules of StableHLO as bytes."""

from __future__ import annotations

import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.extend import mlir
from treadle_compiler import ModuleError

OPEN = """module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<?xf32> {
    %0 = call @inner(%arg0) : (tensor<3xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func private @inner(%arg0: tensor<3xf32>) -> tensor<?xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<3xf32>) -> tensor<?xf32>
    %1 = stablehlo.add %0, %0 : tensor<?xf32>
    return %1 : tensor<?xf32>
  }
}
"""


def text() -> str:
    return treadle.jit(lambda x: tnp.sin(x) + 1).lower(1.0).as_text()


def test_there_and_back() -> None:
    artifact = mlir.serialize_portable_artifact(text(), "1.0.0")
    assert b"StableHLO_v1.0.0" in artifact
    module = mlir.deserialize_portable_artifact(artifact)
    assert "stablehlo.sine" in str(module)
    assert mlir.serialize_portable_artifact(module, "1.0.0") is not None
    assert mlir.serialize_portable_artifact(text().encode(), "1.0.0") == artifact


def test_a_module_is_refined_to_known_sizes() -> None:
    found = mlir.refine_polymorphic_shapes(OPEN)
    assert found == mlir.refine_polymorphic_shapes(OPEN.encode())
    refined = mlir.deserialize_portable_artifact(mlir.serialize_portable_artifact(found, "1.9.0"))
    assert "tensor<?xf32>" not in str(refined)
    assert "tensor<3xf32>" in str(refined)


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(ModuleError, match="the module cannot be serialised"):
        mlir.serialize_portable_artifact("garbage", "1.0.0")
    with pytest.raises(ModuleError, match="the module cannot be serialised"):
        mlir.serialize_portable_artifact(text(), "no version")
    with pytest.raises(ModuleError, match="not a portable artifact"):
        mlir.deserialize_portable_artifact(b"garbage")
    with pytest.raises(ModuleError, match="the module cannot be refined"):
        mlir.refine_polymorphic_shapes("garbage")
    with pytest.raises(ModuleError, match="the module cannot be converted"):
        mlir.hlo_to_stablehlo(b"garbage")
    with pytest.raises(
        ArgumentError, match="deserialize_portable_artifact: mlir_module must be bytes"
    ):
        mlir.deserialize_portable_artifact("text")  # type: ignore[arg-type]
    with pytest.raises(
        ArgumentError, match="refine_polymorphic_shapes: mlir_module must be text or"
    ):
        mlir.refine_polymorphic_shapes(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="use_mixed_serialization must be left out"):
        mlir.serialize_portable_artifact(text(), "1.0.0", use_mixed_serialization=True)
