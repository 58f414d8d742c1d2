from __future__ import annotations

import numpy as np
import pytest

from treadle_autodiff import fwd_and_bwd
from treadle_ir import ArgumentError, ShapeError, ops
from treadle_ir.core import float0
from treadle_ir.errors import StructureError

X, Y = np.array([1.0, 2.0]), np.array([3.0, -1.0])


def test_one_argument_and_several() -> None:
    product = lambda d, y: {"out": ops.multiply(ops.sine(d["x"]), y)}  # noqa: E731
    fwd, bwd = fwd_and_bwd(product, argnums=0)
    out, residuals = fwd({"x": X}, Y)
    np.testing.assert_array_equal(out["out"], np.sin(X) * Y)
    np.testing.assert_array_equal(bwd(residuals, {"out": X})["x"], X * np.cos(X) * Y)
    fwd, bwd = fwd_and_bwd(product, argnums=(1, 0))
    by_y, by_d = bwd(fwd({"x": X}, Y)[1], {"out": X})
    np.testing.assert_array_equal(by_y, X * np.sin(X))
    np.testing.assert_array_equal(by_d["x"], X * np.cos(X) * Y)


def test_aux_integers_and_what_does_not_depend() -> None:
    fwd, bwd = fwd_and_bwd(lambda x, n: ((x, n), "aux"), argnums=(0, -1), has_aux=True)
    out, residuals, aux = fwd(X, np.int32(3))
    assert aux == "aux"
    by_x, by_n = bwd(residuals, (Y, np.zeros((), float0)))
    np.testing.assert_array_equal(by_x, Y)
    assert by_n.dtype == float0
    assert out[1] == 3


def test_errors() -> None:
    fwd, bwd = fwd_and_bwd(ops.sine, argnums=0)
    _, residuals = fwd(X)
    with pytest.raises(StructureError, match="the cotangents and the results"):
        bwd(residuals, (X, X))
    with pytest.raises(ShapeError, match="cotangent 0 is"):
        bwd(residuals, X[:1])
    with pytest.raises(ArgumentError, match="not what fwd returned"):
        bwd(3.0, X)
    with pytest.raises(ArgumentError, match="argnums"):
        fwd_and_bwd(ops.sine, argnums=2)[0](X)
    with pytest.raises(ArgumentError, match="must be a function"):
        fwd_and_bwd(X, 0)  # type: ignore[arg-type]  # what is refused
