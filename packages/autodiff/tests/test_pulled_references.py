"""References among the primals of `linearize` and `vjp`: their tangents and cotangents are held by others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import jvp, linearize, vjp
from treadle_ir import ArgumentError, ShapeError, UnsupportedError, ops
from treadle_ir.errors import StructureError
from treadle_ir.refs import new_ref

X = np.linspace(0.5, 2.0, 4)
DX = np.linspace(-1.0, 1.0, 4)


def written(ref: Any, x: Any) -> Any:
    """Write to a reference, and read what was written."""
    ref[...] = ops.multiply(ops.sine(ref[...]), x)
    return ops.add(ref[...], x)


def pure(value: Any, x: Any) -> Any:
    """The same without a reference: the result, and what is written."""
    value = ops.multiply(ops.sine(value), x)
    return ops.add(value, x), value


def test_the_derivative_reads_and_writes_tangents_in_each_call() -> None:
    ref, tangent = new_ref(X), new_ref(DX)
    out, f_jvp = linearize(written, ref, X + 1)
    np.testing.assert_array_equal([out, ref[...]], pure(X, X + 1))
    for _ in range(2):
        _, expected = jvp(pure, (X, X + 1), (tangent[...], 2 * DX))
        found = f_jvp(tangent, 2 * DX)
        np.testing.assert_allclose([found, tangent[...]], expected, rtol=1e-14)
    np.testing.assert_array_equal(ref[...], pure(X, X + 1)[1])  # written once


def test_the_derivative_pulls_cotangents_back_through_a_reference() -> None:
    ref, total = new_ref(X), new_ref(DX)
    out, f_vjp, aux = vjp(lambda r, x: (written(r, x), "aux"), ref, X + 1, has_aux=True)
    np.testing.assert_array_equal([out, ref[...]], pure(X, X + 1))
    assert aux == "aux"
    _, expected = vjp(pure, X, X + 1)
    pulled: Any = f_vjp
    for _ in range(2):
        wanted = expected((2 * DX, total[...]))
        mark, ct = pulled.with_refs(total, True)(2 * DX)
        assert repr(mark) == "GradRef()"
        np.testing.assert_allclose([total[...], ct], wanted, rtol=1e-14)


def test_the_gradient_of_a_reference_that_is_read_is_added() -> None:
    total, other = new_ref(DX), new_ref(np.zeros(4))
    _, f_vjp = vjp(lambda r, x: ops.multiply(r[...], x), new_ref(X), X + 1)
    pulled: Any = f_vjp
    pulled.with_refs(total, other)(np.ones(4))
    np.testing.assert_array_equal([total[...], other[...]], [DX + X + 1, X])


def test_views_have_tangents_in_views() -> None:
    ref, tangent, total = new_ref(np.r_[X, 7.0]), new_ref(np.r_[DX, 8.0]), new_ref(np.zeros(5))
    _, f_jvp = linearize(written, ref.at[:4], X)
    f_jvp(tangent.at[:4], DX)
    np.testing.assert_array_equal(ref[...], np.r_[pure(X, X)[1], 7.0])
    np.testing.assert_allclose(
        tangent[...], np.r_[jvp(pure, (X, X), (DX, DX))[1][1], 8.0], rtol=1e-14
    )
    _, f_vjp = vjp(lambda r: ops.sine(r[...]), new_ref(X).at[:4])
    pulled: Any = f_vjp
    pulled.with_refs(total.at[:4])(np.ones(4))
    np.testing.assert_allclose(total[...], np.r_[np.cos(X), 0.0], rtol=1e-14)


def test_what_is_refused() -> None:
    ref = new_ref(X)
    _, f_jvp = linearize(lambda r, x: ops.add(r[...], x), ref, X)
    with pytest.raises(
        ArgumentError, match=r"primals\[0\] is a reference, but tangents\[0\] is not"
    ):
        f_jvp(DX, DX)
    with pytest.raises(
        ArgumentError, match=r"tangents\[1\] is a reference, but primals\[1\] is not"
    ):
        f_jvp(new_ref(DX), new_ref(DX))
    with pytest.raises(ShapeError, match=r"f64\[3\]"):
        f_jvp(new_ref(DX[:3]), DX)
    _, f_vjp = vjp(lambda r, x: ops.add(r[...], x), ref, X)
    pulled: Any = f_vjp
    with pytest.raises(ArgumentError, match=r"args\[0\] is a reference, so its cotangent"):
        pulled(DX)
    with pytest.raises(ArgumentError, match=r"args\[0\] is a reference, so its cotangent"):
        pulled.with_refs(True, True)
    with pytest.raises(StructureError):
        pulled.with_refs(new_ref(DX))
    for function in (linearize, vjp):
        with pytest.raises(ArgumentError, match="is given as"):
            function(lambda r, s: ops.add(r[...], s[...]), ref, ref)
        with pytest.raises(UnsupportedError, match="`in_nzs` is not supported"):
            function(lambda r: r[...], ref, in_nzs=True)
    with pytest.raises(UnsupportedError, match="`saveable_args` is not supported"):
        vjp(lambda r: r[...], ref, saveable_args=False)
