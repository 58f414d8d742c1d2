"""What precisions and algorithms ask of a product."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, UnsupportedError
from treadle_numpy import lax
from treadle_numpy.lax.precision import precision_name
from treadle_numpy.settings import MATMUL_PRECISION


@pytest.mark.parametrize("preset", list(lax.DotAlgorithmPreset))
def test_presets(preset: lax.DotAlgorithmPreset) -> None:
    x = np.ones((2, 2), np.float32)
    for named in (preset, preset.name):
        if "F8" in preset.name:
            with pytest.raises(UnsupportedError, match="is not supported"):
                lax.dot(x, x, precision=named)
        else:
            np.testing.assert_array_equal(lax.dot(x, x, precision=named), x @ x)


def test_at_least_so_exact() -> None:
    assert precision_name(lax.DotAlgorithmPreset.F32_F32_F32) == "highest"
    assert precision_name("BF16_BF16_F32_X3") == "high"
    assert precision_name(lax.DotAlgorithmPreset.TF32_TF32_F32) == "default"
    assert precision_name(lax.DotAlgorithm("float32", "float32", "float32")) == "highest"
    assert precision_name(("high", "default")) == "high"
    with pytest.raises(ArgumentError, match="precision is 'best', which is none of"):
        precision_name("best")


def test_accuracies() -> None:
    assert float(lax.exp(0.0, accuracy=lax.AccuracyMode.HIGHEST)) == 1
    assert float(lax.exp(0.0, accuracy=lax.Tolerance(rtol=1e-3))) == 1
    with pytest.raises(ArgumentError, match="At least one of atol, rtol, or ulps must be set"):
        lax.Tolerance()
    with pytest.raises(ArgumentError, match="-1 is not a number of at least 0"):
        lax.Tolerance(atol=-1)


def test_presets_can_be_the_setting() -> None:
    for preset in lax.DotAlgorithmPreset:
        if "F8" in preset.name or preset is lax.DotAlgorithmPreset.DEFAULT:
            with pytest.raises(ArgumentError, match="default_matmul_precision"):
                MATMUL_PRECISION.override(preset.name)
        else:
            with MATMUL_PRECISION.override(preset.name):
                assert precision_name(None) == precision_name(preset)
