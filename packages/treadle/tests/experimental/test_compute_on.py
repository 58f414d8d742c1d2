"""`compute_on`: the attributes that tell XLA where to compute."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.experimental.compute_on import compute_on


@pytest.mark.parametrize(
    ("where", "attributes"),
    [
        ("device_host", '{_xla_compute_type = "host"}'),
        ("device", '{_xla_compute_type = "dense"}'),
        ("tpu_sparsecore", '{_xla_compute_type = "sparseoffload"}'),
        ("gpu_stream:12", '{_xla_stream_annotation = "12", inlineable = "false"}'),
    ],
)
def test_the_attributes(where, attributes):
    def f(x):
        with compute_on(where):
            return tnp.sin(x)

    expected = f"stablehlo.sine %arg0 {{mhlo.frontend_attributes = {attributes}}}"
    assert expected in treadle.jit(f).lower(1.0).as_text()
    assert expected in treadle.jit(compute_on(where)(tnp.sin)).lower(1.0).as_text()
    np.testing.assert_allclose(treadle.jit(f)(1.0), np.sin(1.0), rtol=1e-6)
    np.testing.assert_allclose(f(1.0), np.sin(1.0), rtol=1e-6)


def test_the_innermost_block_counts():
    @compute_on("gpu_stream:1")
    @compute_on("device_host")
    def f(x):
        return tnp.sin(x)

    text = treadle.jit(f).lower(1.0).as_text()
    assert '{_xla_compute_type = "host"}' in text
    assert "stream" not in text


def test_what_is_no_place_is_refused():
    with pytest.raises(ArgumentError, match="'host' is not a place to compute"):
        compute_on("host")
    with pytest.raises(ArgumentError, match="'gpu_stream:x' is not a place"):
        compute_on("gpu_stream:x")
    with pytest.raises(ArgumentError, match="of type int, which must be a string"):
        compute_on(1)
