from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp


def test_both_passes_are_compiled_once() -> None:
    runs = []

    def function(x: Any, w: Any) -> Any:
        runs.append(0)
        return tnp.tanh(x @ w)

    x, w = np.ones((2, 3), np.float32), np.full((3, 2), 0.1, np.float32)
    fwd, bwd = treadle.fwd_and_bwd(function, argnums=(0, 1))
    expected, pull = treadle.vjp(function, x, w)
    runs.clear()
    for _ in range(3):
        out, residuals = fwd(x, w)
        np.testing.assert_allclose(out, expected, rtol=1e-6)
        for found, right in zip(bwd(residuals, out), pull(expected), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-6)
    assert len(runs) == 1
    plain = treadle.fwd_and_bwd(function, 0, jitted=False)
    np.testing.assert_allclose(plain[1](plain[0](x, w)[1], expected), pull(expected)[0], rtol=1e-6)
    with pytest.raises(treadle.errors.ArgumentError, match="jitted"):
        treadle.fwd_and_bwd(function, 0, jitted="yes")  # type: ignore[arg-type]
