"""Rows of `treadle.nn` that came with random numbers: activations that are 0 exactly, scaled products."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

from conformance.derivatives.row import Row, array, scalar

SECOND: Final = "its second derivative jumps there"


def sparse_plus(x: Any) -> Any:
    """By its three branches."""
    return mp.mpf(0) if x <= -1 else x if x >= 1 else (x + 1) ** 2 / 4


def sparse_sigmoid(x: Any) -> Any:
    """The derivative of `sparse_plus`."""
    return min(max((x + 1) / 2, mp.mpf(0)), mp.mpf(1))


def scaled(x: Any, y: Any, f: Any, g: Any) -> Any:
    """Products of rows."""
    left, right = x * np.repeat(f, 2, axis=-1), y * np.repeat(g, 2, axis=-1)
    return np.einsum("bmk,bnk->bmn", left, right)


ROWS: Final[tuple[Row, ...]] = (
    scalar("nn.sparse_plus", sparse_plus, -2.0, -0.5, 0.0, 0.5, 2.0, kinks=(-1.0, 1.0)),
    scalar("nn.sparse_sigmoid", sparse_sigmoid, -2.0, -0.5, 0.0, 0.5, 2.0, kinks=(-1.0, 1.0)),
    scalar("nn.log1mexp", lambda x: mp.log(-mp.expm1(-x)), 1e-8, 0.5, 0.7, 30.0),
    array(
        "nn.scaled_matmul",
        ([[[1.0, 2.0]]], [[[0.5, -1.0]]], [[[2.0]]], [[[-0.5]]]),
        truth=scaled,
        keywords={"preferred_element_type": "float64"},
    ),
    array(
        "nn.scaled_dot_general",
        ([[1.0, 2.0]], [[0.5, -1.0]]),
        truth=lambda x, y: np.einsum("mk,nk->mn", x, y),
        keywords={
            "dimension_numbers": (((1,), (1,)), ((), ())),
            "preferred_element_type": "float64",
        },
    ),
)
