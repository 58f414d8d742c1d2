import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import export
from treadle.errors import UnsupportedError

pytestmark = pytest.mark.xla


def test_captured_arrays_are_constants_of_the_module() -> None:
    weights = tnp.arange(3.0)
    text = export.export(treadle.jit(lambda x: x + weights))(weights).mlir_module()
    assert "dense<[0.000000e+00, 1.000000e+00, 2.000000e+00]>" in text
    assert text.count("%arg") == text.count("%arg0")


def test_weakness_of_arguments_does_not_reach_the_program() -> None:
    inner = treadle.jit(lambda x: x * 2)
    exported = export.export(treadle.jit(lambda x: inner(x) + 1))(1.0)
    assert exported.call(tnp.float32(3.0)) == 7
    assert exported.call(tnp.float32(3.0)).weak_type
    with treadle.enable_checks(True):
        assert treadle.jit(exported.call)(np.float32(2.0)) == 5


def test_callbacks_do_not_travel() -> None:
    def noisy(x: treadle.Array) -> treadle.Array:
        treadle.debug.print("x is {}", x)
        return x

    exported = export.export(treadle.jit(noisy))(1.0)
    assert len(exported.ordered_effects) + len(exported.unordered_effects) == 1
    for method in (exported.serialize, exported.mlir_module):
        with pytest.raises(UnsupportedError, match="noisy calls a Python function back"):
            method()
    pure = lambda x: treadle.pure_callback(lambda y: y, treadle.ShapeDtypeStruct((), x.dtype), x)  # noqa: E731
    with pytest.raises(UnsupportedError, match="calls a Python function back"):
        export.export(treadle.jit(pure))(tnp.float32(1)).serialize()


def test_random_keys_travel() -> None:
    key = treadle.random.key(7)
    exported = export.export(treadle.jit(lambda n: treadle.random.uniform(key, (2,)) * n))(2.0)
    again = export.deserialize(exported.serialize())
    np.testing.assert_array_equal(again.call(3.0), treadle.random.uniform(key, (2,)) * 3)
