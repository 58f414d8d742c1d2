"""Functions of `treadle.numpy`: what they take, and what they give."""

from __future__ import annotations

from typing import assert_type

import numpy as np

import treadle.numpy as tnp
import treadle.numpy.linalg
from treadle import Array
from treadle.numpy.linalg import norm
from treadle.scipy.special import logsumexp
from treadle.typing import ArrayLike, DTypeLike


def takes(x: ArrayLike, dtype: DTypeLike) -> Array:
    assert_type(tnp.sin(x), Array)
    assert_type(tnp.asarray([[1, 2], [3, 4]], dtype), Array)
    return tnp.zeros((2, 3), dtype)


def gives(x: Array, y: Array) -> None:
    assert_type(tnp.add(x, 1), Array)
    assert_type(tnp.where(x > 0, x, 0.0), Array)
    assert_type(tnp.where(x > 0), tuple[Array, ...])
    assert_type(tnp.arange(10), Array)
    assert_type(tnp.linspace(0, 1, 5), Array)
    assert_type(tnp.linspace(0, 1, 5, retstep=True), tuple[Array, Array])
    assert_type(tnp.meshgrid(x, y), list[Array])
    assert_type(tnp.indices((2, 3)), Array)
    assert_type(tnp.indices((2, 3), sparse=True), tuple[Array, ...])
    assert_type(tnp.concatenate([x, y], axis=-1), Array)
    assert_type(tnp.stack((x, y)), Array)
    assert_type(tnp.split(x, 2), list[Array])
    assert_type(tnp.unstack(x), tuple[Array, ...])
    assert_type(tnp.atleast_1d(x), Array)
    assert_type(tnp.atleast_1d(x, y), list[Array])
    assert_type(tnp.average(x), Array)
    assert_type(tnp.average(x, returned=True), tuple[Array, Array])
    assert_type(tnp.histogram(x, 4), tuple[Array, Array])
    assert_type(tnp.unique(x), Array)
    assert_type(tnp.unique(x, return_counts=True), tuple[Array, ...])
    assert_type(tnp.einsum("ij,jk->ik", x, y, optimize="optimal"), Array)
    assert_type(tnp.einsum(x, [0, 1], y, [1, 2]), Array)
    assert_type(tnp.divmod(x, 2), tuple[Array, Array])
    assert_type(tnp.top_k(x, 3), list[Array])
    assert_type(tnp.mgrid[0:2, 0:3], Array)
    assert_type(tnp.ogrid[0:2, 0:3], list[Array])
    assert_type(tnp.r_[0:3, x], Array)
    assert_type(tnp.ix_([0, 2], [1]), tuple[Array, ...])
    assert_type(tnp.float32(3), Array)
    assert_type(tnp.shape(x), tuple[int, ...])
    assert_type(tnp.iscomplexobj(x), bool)
    assert_type(norm(x, "fro", axis=(-2, -1)), Array)
    assert_type(treadle.numpy.linalg.matrix_power(x, 3), Array)
    assert_type(logsumexp(x), Array)
    assert_type(logsumexp(x, return_sign=True), tuple[Array, Array])


def mistakes(x: Array) -> None:
    tnp.sum(x, axis="rows")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tnp.zeros("three")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tnp.sin([1.0, 2.0])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tnp.max(x, None, 0, True, 1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tnp.einsum("ij", x, precisions="high")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


class Model:
    """A user's class that holds arrays."""

    def __init__(self, w: tnp.ndarray) -> None:
        self.w = w

    def __call__(self, x: Array) -> Array:
        h = tnp.tanh(x @ self.w)
        return (h - h.mean(0)) / (h.std(0) + 1e-6) + np.float32(1)
