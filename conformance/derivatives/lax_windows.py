"""Rows of lax's transforms, of what makes and uses windows, and of functions made of several instructions."""

from __future__ import annotations

from typing import Any, Final

import mpmath
import numpy as np

import treadle
import treadle.lax as lax
import treadle.numpy as tnp
from conformance.derivatives.fourier_functions import parts, waves
from conformance.derivatives.lax_arrays import MET, POINTS, both
from conformance.derivatives.numpy_arrangements import cubes
from conformance.derivatives.numpy_reductions import M, V
from conformance.derivatives.row import Row, array, scalar

LINE: Final = [[[0.5, -1.0, 2.0]]]  # batch, feature, position


def spectrum(x: Any) -> Any:
    """The truth of "fft" of real numbers, in parts."""
    c, s = waves(len(x), len(x))
    return np.stack([c @ cubes(x), -(s @ cubes(x))])


def pairs(x: Any) -> Any:
    """Neighbours on a line, flattened: [1, 2, 2]."""
    row = cubes(x)[0, 0]
    return np.array([[row[:-1], row[1:]]])


THIRDS: Final = [mpmath.mpf(n) / 3 for n in (-3, -1, 1, 3)]
ZEROS: Final = np.zeros(2, np.int32)
SWAPPED: Final = [[0.5, -1.0], [2.0, 1.5]]


def exchange(name: str, truth: Any, *arguments: Any) -> Row:
    """A collective on the rows of a square matrix of cubes."""
    function = getattr(lax, name)

    def call(x: Any) -> Any:
        return treadle.vmap(lambda row: function(row, "i", *arguments), axis_name="i")(cubes(x))

    return both(name, SWAPPED, truth=lambda x: truth(cubes(x)), call=call)


ROWS: Final[tuple[Row, ...]] = (
    exchange("ppermute", lambda x: np.array([0 * x[0], x[0]]), [(0, 1)]),
    exchange("pshuffle", lambda x: x[::-1], [1, 0]),
    exchange("pswapaxes", lambda x: x.T, 0),
    exchange("all_to_all", lambda x: x.T, 0, 0),
    exchange("psum_scatter", lambda x: x.sum(0)),
    both(
        "psum_scatter_start",
        SWAPPED,
        truth=lambda x: cubes(x).sum(0),
        call=lambda x: treadle.vmap(
            lambda row: lax.psum_scatter_start(row, "i").done(), axis_name="i"
        )(cubes(x)),
    ),
    exchange("pbroadcast", lambda x: np.array([x[1], x[1]]), 1),
    both(
        "pcast",
        SWAPPED,
        truth=cubes,
        call=lambda x: treadle.vmap(lambda row: lax.pcast(row, "i", to="varying"), axis_name="i")(
            cubes(x)
        ),
    ),
    both(
        "ragged_all_to_all",
        SWAPPED,
        truth=lambda x: np.array([[x[0, 0] ** 3, x[1, 0] ** 3]] * 2),
        call=lambda x: treadle.vmap(
            lambda row, there: lax.ragged_all_to_all(
                row, 0 * row, ZEROS, ZEROS + 1, there, ZEROS + 1, axis_name="i"
            ),
            axis_name="i",
        )(cubes(x), np.array([[0, 0], [1, 1]])),
    ),
    both(
        "ragged_dot",
        (SWAPPED, [[[1.0], [0.5]], [[-2.0], [3.0]]]),
        truth=lambda x, y: np.array([x[0] @ y[0], x[1] @ y[1]]),
        call=lambda x, y: lax.ragged_dot(x, y, np.array([1, 1])),
    ),
    both(
        "scaled_dot",
        (SWAPPED, SWAPPED, SWAPPED),
        truth=lambda x, s, y: (x * s) @ y,
        call=lambda x, s, y: lax.scaled_dot(x, y, lhs_scale=s, preferred_element_type=x.dtype),
    ),
    both(
        "ragged_dot_general",
        (SWAPPED, SWAPPED),
        truth=lambda x, y: np.array([np.outer(x[0], y[0]), np.outer(x[1], y[1])]),
        call=lambda x, y: lax.ragged_dot_general(
            x,
            y,
            np.array([1, 1]),
            lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ()),
        ),
    ),
    both(
        "reduce",
        V,
        truth=lambda x: np.prod(1 + x) - 1,
        call=lambda x: lax.reduce(x, 0.0, lambda a, b: a + b + a * b, (0,)),
    ),
    both(
        "reduce_window",
        V,
        truth=lambda x: x[:-1] * x[1:],
        call=lambda x: lax.reduce_window(x, 1.0, lax.mul, (2,)),
    ),
    both(
        "fft", V, truth=spectrum, call=lambda x: parts(lax.fft(tnp.asarray(cubes(x)), "fft", (3,)))
    ),
    scalar(
        "numpy.kaiser",
        lambda b: np.array(
            [mpmath.besseli(0, b * mpmath.sqrt(1 - r * r)) / mpmath.besseli(0, b) for r in THIRDS]
        ),
        2.5,
        30.0,
        function=lambda b: tnp.kaiser(4, b),
    ),
    scalar("lax.log2", lambda x: mpmath.log(x, 2), 0.5, 3.0, 1e-3),
    scalar("lax.one_minus_square", lambda x: 1 - x * x, 0.0, 1.0, -2.5),
    scalar(
        "lax.polynomial",
        lambda x: x**3 - 2 * x + 0.5,
        0.0,
        -1.5,
        function=lambda x: lax.polynomial(x, [0.5, -2.0, 0.0, 1.0]),
    ),
    both(
        "conv_transpose",
        ([[[0.5], [-1.0]]], [[[1.0]], [[-2.0]]]),
        truth=lambda x, k: np.array(
            [[[x[0, i // 2, 0] * k[1 - i % 2, 0, 0]] for i in range(2 * x.shape[1])]]
        ),
        call=lambda x, k: lax.conv_transpose(x, k, (2,), "SAME"),
    ),
    both(
        "conv_general_dilated_patches",
        (LINE,),
        truth=pairs,
        call=lambda x: lax.conv_general_dilated_patches(cubes(x), (2,), (1,), "VALID"),
    ),
    both(
        "conv_general_dilated_local",
        (LINE, [[[1.0, 2.0], [0.5, -1.0]]]),
        truth=lambda x, k: np.sum(pairs(x) * k, axis=1, keepdims=True),
        call=lambda x, k: lax.conv_general_dilated_local(cubes(x), k, (1,), "VALID", (2,)),
    ),
    both(
        "broadcast_like",
        V,
        truth=lambda x: np.stack([cubes(x)] * 2),
        call=lambda x: lax.broadcast_like(cubes(x), np.zeros((2, 3))),
    ),
    both(
        "broadcast_to_rank",
        V,
        truth=lambda x: cubes(x)[None],
        call=lambda x: lax.broadcast_to_rank(cubes(x), 2),
    ),
    both("stage", V, truth=cubes, call=lambda x: lax.stage(cubes(x))),
    both(
        "index_take",
        M,
        truth=lambda x: cubes(x)[[1, 1, 0]],
        call=lambda x: lax.index_take(cubes(x), (np.array([1, 1, 0]),), (0,)),
    ),
    array(
        "lax.scatter_sub",
        (V, [4.0, -1.0, 2.0]),
        truth=lambda x, u: np.array([x[0] - u[2], x[1] - u[0] - u[1], x[2]]),
        function=lambda x, u: lax.scatter_sub(x, MET, u, POINTS),
    ),
    array(
        "lax.scatter_apply",
        V,
        truth=lambda x: np.array([x[0] ** 3, x[1] ** 3, x[2]]),
        function=lambda x: lax.scatter_apply(
            x, np.array([[0], [1]]), cubes, POINTS, update_shape=(2,), unique_indices=True
        ),
    ),
    both(
        "approx_max_k",
        [0.5, -1.0, 2.0],
        truth=lambda x: np.array([x[2], x[0]]) ** 3,
        call=lambda x: cubes(lax.approx_max_k(x, 2)[0]),
    ),
    both(
        "approx_min_k",
        [0.5, -1.0, 2.0],
        truth=lambda x: np.array([x[1], x[0]]) ** 3,
        call=lambda x: cubes(lax.approx_min_k(x, 2)[0]),
    ),
)
