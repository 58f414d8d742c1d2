"""Arrays as a user annotates them: operators, methods and properties give arrays, and mistakes are seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_type

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import Array


def methods(x: Array) -> Array:
    assert_type(x.sum(), Array)
    assert_type(x.mean(axis=(0, 1), keepdims=True), Array)
    assert_type(x.reshape(2, -1), Array)
    assert_type(x.reshape((2, -1)), Array)
    assert_type(x.astype(tnp.float32), Array)
    assert_type(x.astype("bfloat16").view(np.uint16), Array)
    assert_type(x.T, Array)
    assert_type(x.real.transpose(1, 0).swapaxes(0, 1), Array)
    assert_type(x.nonzero(size=3), tuple[Array, ...])
    assert_type(x.argsort(descending=True), Array)
    assert_type(x.tobytes(), bytes)
    return x.sum()


def operators(x: Array, y: Array) -> Array:
    assert_type(x + 1, Array)
    assert_type(2.0 - x, Array)
    assert_type(x @ y, Array)
    assert_type(x == y, Array)
    assert_type(x != 3, Array)
    assert_type(x < y, Array)
    assert_type(-x, Array)
    assert_type(~(x > 0) & (y > 0), Array)
    assert_type(divmod(x, 2), tuple[Array, Array])
    assert_type(abs(x), Array)
    assert_type(round(x, 2), Array)
    assert_type(x + np.ones(3), Array)
    assert_type(iter(x), Iterator[Array])
    x += y
    return x**2


def indices(x: Array, i: Array) -> Array:
    assert_type(x[0], Array)
    assert_type(x[1:3, None, ..., i], Array)
    assert_type(x[x > 0], Array)
    assert_type(x.at[0].set(1.0), Array)
    assert_type(x.at[i, :2].add(x, mode="drop", unique_indices=True), Array)
    assert_type(x.at[0].apply(tnp.sin), Array)
    return x.at[0].get(mode="fill", fill_value=0)


def values(x: Array) -> None:
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.dtype, np.dtype[Any])
    assert_type(float(x), float)
    assert_type(bool(x), bool)
    assert_type(len(x), int)
    assert_type(np.asarray(x), np.ndarray[tuple[Any, ...], np.dtype[Any]])
    assert_type(x.block_until_ready(), Array)


def mistakes(x: Array) -> None:
    x.sums()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    x[0] = 1.0  # type: ignore[index]  # pyright: ignore[reportIndexIssue]
    x["name"]  # type: ignore[index]  # pyright: ignore[reportArgumentType]
    x + "a"  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    x < [1]  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    x.sum(axes=0)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    x.reshape("2")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    x.shape = (2,)  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def names() -> None:
    treadle.numpy.sin(1.0)
    tnp.sinn(1.0)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    tnp.linalg.nrom(1.0)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    treadle.lax.sinn(1.0)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    treadle.nn.relo(1.0)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    treadle.random.unifrm(1)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    treadle.scipy.special.gama(1)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    tnp.np  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
