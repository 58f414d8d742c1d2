"""Discrete cosine transforms against their sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.errors import AxisError
from treadle_numpy.scipy.fft import dct, dctn, idct, idctn

pytestmark = pytest.mark.usefixtures("wide")
RANDOM = np.random.default_rng(11)


def cosines(n: int, norm: str | None) -> Any:
    """The matrix of the transform of type II."""
    k, j = np.arange(n)[:, None], np.arange(n)
    matrix = 2 * np.cos(np.pi * k * (2 * j + 1) / (2 * n))
    if norm == "ortho":
        matrix *= np.sqrt(np.where(k == 0, 1 / (4 * n), 1 / (2 * n)))
    return matrix


@pytest.mark.parametrize("norm", [None, "backward", "ortho"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9])
def test_one_axis(n: int, norm: str | None) -> None:
    x = RANDOM.normal(size=(2, n, 3))
    expected = np.einsum("kj,ajb->akb", cosines(n, norm), x)
    np.testing.assert_allclose(dct(x, axis=1, norm=norm), expected, atol=1e-12)
    np.testing.assert_allclose(idct(expected, axis=-2, norm=norm), x, atol=1e-12)
    np.testing.assert_allclose(dct(1j * x, axis=1, norm=norm), 1j * expected, atol=1e-12)


def test_lengths() -> None:
    x = RANDOM.normal(size=(2, 4))
    np.testing.assert_allclose(dct(x, n=3), x[:, :3] @ cosines(3, None).T, atol=1e-12)
    np.testing.assert_allclose(
        dct(x, n=6), np.pad(x, ((0, 0), (0, 2))) @ cosines(6, None).T, atol=1e-12
    )


@pytest.mark.parametrize("norm", [None, "ortho"])
def test_several_axes(norm: str | None) -> None:
    x = RANDOM.normal(size=(2, 3, 4))
    expected = np.einsum(
        "ia,jb,kc,abc->ijk", *[cosines(n, norm) for n in x.shape], x, optimize=True
    )
    np.testing.assert_allclose(dctn(x, norm=norm), expected, atol=1e-12)
    np.testing.assert_allclose(idctn(expected, norm=norm), x, atol=1e-12)
    np.testing.assert_allclose(
        dctn(x, s=(5, 2), norm=norm),
        dct(dct(x, axis=1, n=5, norm=norm), n=2, norm=norm),
        atol=1e-12,
    )
    np.testing.assert_allclose(dctn(x, axes=(0,), norm=norm), dct(x, axis=0, norm=norm), atol=1e-12)


def test_element_types() -> None:
    assert dct(np.ones(3, np.float32)).dtype == np.float32
    assert dct(np.ones(3, np.float16)).dtype == np.float32
    assert dct(np.ones(3, np.complex64)).dtype == np.complex64
    assert idct(np.ones(3, np.int64)).dtype == np.float64


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: dct(np.ones(3), type=3), UnsupportedError, "only the transform of type 2"),
        (lambda: dct(np.ones(3), norm="forward"), UnsupportedError, "norm='forward' is not"),
        (lambda: idct(np.ones(3), norm="big"), ArgumentError, "norm is 'big', not one of"),
        (lambda: idct(np.ones(3), axis=1), AxisError, "idct: axis 1 is out of bounds"),
        (lambda: dct(np.ones(0)), ArgumentError, "axis 0 has length 0"),
        (lambda: dct(np.ones(2), n=0), ArgumentError, "axis 0 has length 0"),
        (lambda: dctn(np.ones(2), s=(2,), axes=()), ArgumentError, "1 lengths for the 0 axes"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
