"""Weights of means along several axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ShapeError
from treadle_ir.core.dtypes import BY_NAME
from treadle_numpy.numpy import average, mean

SHORT = {"bfloat16": "bf16", "float16": "f16", "float32": "f32"}
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 0), (-1, 1, 0), (1,), 2, (0, 1, 2)])
def test_weights_along_axes_in_their_order(axes: int | tuple[int, ...], keepdims: bool) -> None:
    of = (axes,) if isinstance(axes, int) else axes
    shape = [X.shape[axis] for axis in of]
    weights = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    ours = average(X, axes, weights, returned=True, keepdims=keepdims)
    numpys: Any = np.average(X, axes, weights, True, keepdims=keepdims)  # type: ignore[call-overload]  # a bool
    for found, expected in zip(ours, numpys, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(("axes", "shape"), [((1, 0), (2, 3)), (0, (3,)), (None, (2, 3))])
def test_refused(axes: int | tuple[int, ...] | None, shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match="do not fit axis"):
        average(X, axes, np.ones(shape, np.float32))


@pytest.mark.parametrize("where", [None, np.array([[True], [True]])])
@pytest.mark.parametrize("name", ["bfloat16", "float16", "float32"])
def test_means_have_the_type_of_their_elements(name: str, where: Any) -> None:
    x = np.array([[1, 2, 4], [0, 1, 8]], BY_NAME[SHORT[name]])
    found = mean(x, axis=1, where=where)
    assert found.dtype == x.dtype
    assert mean(x, axis=1, dtype=np.float32).dtype == np.float32
    assert float(np.asarray(found)[0]) == pytest.approx(7 / 3, rel=1e-2)
