from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import export
from treadle.errors import ArgumentError, MissingRuleError, UnsupportedError

pytestmark = pytest.mark.xla


def test_what_is_exported() -> None:
    function = treadle.jit(lambda x, n, *, k: {"y": x[:n] * k}, static_argnums=1, donate_argnums=0)
    exported = export.export(function)(treadle.ShapeDtypeStruct((5,), tnp.float32), 2, k=3.0)
    assert exported.fun_name == "<lambda>"
    assert repr(exported.in_tree) == "PyTreeDef(((*,), {'k': *}))"
    assert repr(exported.out_tree) == "PyTreeDef({'y': *})"
    assert [x.shape for x in exported.in_avals] == [(5,), ()]
    assert exported.in_avals[1].weak_type
    assert [x.shape for x in exported.out_avals] == [(2,)]
    assert exported.platforms == ("cpu",)
    assert exported.donated == (0,)
    assert (exported.nr_devices, exported.module_kept_var_idx) == (1, (0, 1))
    assert exported.in_shardings_hlo == exported.in_shardings_jax(None) == (None, None)
    assert exported.out_shardings_hlo == exported.out_shardings_jax(None) == (None,)
    assert not exported.uses_global_constants
    assert exported.call(tnp.arange(5.0), k=2.0)["y"].tolist() == [0, 2]
    assert str(exported) == "Exported(fun_name=<lambda>, ...)"
    lowest = export.minimum_supported_calling_convention_version
    highest = export.maximum_supported_calling_convention_version
    assert lowest <= exported.calling_convention_version <= highest


def test_each_platform_is_lowered() -> None:
    where = treadle.lax.platform_dependent
    function = treadle.jit(lambda x: where(x, cpu=tnp.sin, cuda=tnp.cos))
    exported = export.export(function, platforms=["cuda", "cpu"])(1.0)
    assert "cosine" in exported.mlir_module()
    assert "sine" in exported.mlir_module("cpu")
    assert float(export.deserialize(exported.serialize()).call(0.0)) == 0  # the sine
    with pytest.raises(ArgumentError, match="was exported for cuda, cpu, not for 'tpu'"):
        exported.mlir_module("tpu")


def test_what_a_platform_lacks() -> None:
    function = treadle.jit(tnp.linalg.eigvals)
    with pytest.raises(MissingRuleError, match="no routine for it on platform tpu") as caught:
        export.export(function, platforms=["cpu", "tpu"])(tnp.eye(2))
    assert "  while: exporting eigvals for tpu" in caught.value.__notes__


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"platforms": "cpu"}, "platforms must be a list of strings"),
        ({"platforms": ["gpu"]}, "no platform 'gpu'; there are cpu, cuda, rocm, tpu"),
        ({"platforms": [3]}, "platforms must be a string"),
        ({"disabled_checks": [3]}, "must be DisabledSafetyCheck values"),
        ({"disabled_checks": 3}, "disabled_checks must be"),
    ],
)
def test_refused(given: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        export.export(treadle.jit(lambda x: x), **given)


def test_functions_of_the_numerical_modules_need_no_jit() -> None:
    for function in (tnp.sin, tnp.linalg.norm, tnp.add.reduce, treadle.nn.relu):
        exported = export.export(function)(tnp.arange(3.0))
        np.testing.assert_allclose(
            exported.call(tnp.arange(3.0)), function(tnp.arange(3.0)), rtol=1e-6
        )


def test_only_jitted_functions_outside_of_traces() -> None:
    with pytest.raises(ArgumentError, match="must be the result of `jit` but is: <function"):
        export.export(lambda x: x)  # type: ignore[arg-type]

    def inside(x: treadle.Array) -> treadle.Array:
        return export.export(treadle.jit(lambda y: x + y))(1.0).call(2.0)

    with pytest.raises(UnsupportedError, match="closes over a traced array"):
        treadle.jit(inside)(tnp.ones(()))
