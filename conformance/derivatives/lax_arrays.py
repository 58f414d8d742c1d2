"""Rows of `treadle.lax`: arrays, and control flow."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import treadle
import treadle.lax as lax
import treadle.numpy as tnp
from conformance.derivatives.numpy_arrangements import cubes
from conformance.derivatives.numpy_reductions import (
    ONE_ZERO,
    SINGULAR,
    SQUARE,
    TWO_ZEROS,
    ZEROS,
    M,
    V,
)
from conformance.derivatives.row import Function, Row, array, scalar
from conformance.derivatives.special_functions import FAR, SPREAD, TIES, log_sum

MET: Final = np.array([[1], [1], [0]])  # two updates meet in one element
POINTS: Final = lax.ScatterDimensionNumbers(
    update_window_dims=(), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,)
)
TAKEN: Final = lax.GatherDimensionNumbers(
    offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,)
)


def scatter(name: str, truth: Function, *at: Any, indices: Any = MET, **more: Any) -> Row:
    """A scatter of three updates into three elements."""
    instruction = getattr(lax, name)
    return array(
        f"lax.{name}",
        *at,
        truth=truth,
        function=lambda x, u: instruction(x, indices, u, POINTS),
        **more,
    )


def running_log_sum(x: Any) -> Any:
    """Of each beginning."""
    return np.array([log_sum(x[: k + 1]) for k in range(len(x))])


def windows(x: Any) -> Any:
    """Neighbours, as rows."""
    return np.stack([x[:-1], x[1:]], axis=1)


def convolved(x: Any, w: Any) -> Any:
    """`conv` of one channel in two dimensions without padding."""
    (a, b), (c, d) = w[0, 0]
    image = x[0, 0]
    return a * image[:-1, :-1] + b * image[:-1, 1:] + c * image[1:, :-1] + d * image[1:, 1:]


def both(name: str, *at: Any, truth: Function, call: Function) -> Row:
    """A call, and what it comes to in NumPy."""
    return array(f"lax.{name}", *at, truth=truth, function=call)


IMAGE: Final = [[[[0.5, -1.0, 2.0], [0.0, 3.0, 1.5], [1.0, 0.0, -0.5]]]]
KERNEL: Final = [[[[1.0, 0.0], [0.5, -2.0]]]]
SUMS: Final = (
    both(
        "reduce_sum",
        V,
        truth=lambda x: np.sum(cubes(x)),
        call=lambda x: lax.reduce_sum(cubes(x), (0,)),
    ),
    both(
        "reduce_prod",
        V,
        ONE_ZERO,
        TWO_ZEROS,
        ZEROS,
        truth=np.prod,
        call=lambda x: lax.reduce_prod(x, (0,)),
    ),
    array("lax.reduce_max", V, truth=np.max, function=lambda x: lax.reduce_max(x, (0,))),
    array("lax.reduce_min", V, truth=np.min, function=lambda x: lax.reduce_min(x, (0,))),
    array("lax.reduce", V, truth=np.sum, function=lambda x: lax.reduce(x, 0.0, lax.add, (0,))),
    array(
        "lax.reduce",
        V,
        ONE_ZERO,
        TWO_ZEROS,
        truth=np.prod,
        function=lambda x: lax.reduce(x, 1.0, lax.mul, (0,)),
    ),
    array("lax.cumsum", V),
    array("lax.cumprod", V, ONE_ZERO, TWO_ZEROS, ZEROS),
    array("lax.cummax", V, truth=np.maximum.accumulate),
    array("lax.cummin", V, truth=np.minimum.accumulate),
    array("lax.cumlogsumexp", *TIES, *SPREAD, *FAR, truth=running_log_sum),
    both(
        "reduce_window",
        V,
        truth=lambda x: windows(x).sum(axis=1),
        call=lambda x: lax.reduce_window(x, 0.0, lax.add, (2,)),
    ),
    both(
        "reduce_window",
        V,
        truth=lambda x: windows(x).max(axis=1),
        call=lambda x: lax.reduce_window(x, -np.inf, lax.max, (2,)),
    ),
    both(
        "reduce_window",
        V,
        truth=lambda x: windows(x).min(axis=1),
        call=lambda x: lax.reduce_window(x, np.inf, lax.min, (2,)),
    ),
    both("dot", (V, ONE_ZERO), truth=np.dot, call=lax.dot),
    both(
        "dot_general",
        (M, SQUARE),
        truth=lambda x, y: np.einsum("ij,ik->jk", x, y),
        call=lambda x, y: lax.dot_general(x, y, (((0,), (0,)), ((), ()))),
    ),
    both(
        "batch_matmul",
        ([SQUARE, SINGULAR], [SINGULAR, SQUARE]),
        truth=lambda x, y: np.einsum("bij,bjk->bik", x, y),
        call=lax.batch_matmul,
    ),
    both(
        "conv", (IMAGE, KERNEL), truth=convolved, call=lambda x, w: lax.conv(x, w, (1, 1), "VALID")
    ),
    both(
        "conv_general_dilated",
        (IMAGE, KERNEL),
        truth=convolved,
        call=lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "VALID"),
    ),
    both(
        "conv_with_general_padding",
        (IMAGE, KERNEL),
        truth=convolved,
        call=lambda x, w: lax.conv_with_general_padding(x, w, (1, 1), ((0, 0), (0, 0)), None, None),
    ),
)
MOVED: Final = (
    both(
        "reshape",
        M,
        truth=lambda x: cubes(x).reshape(3, 2),
        call=lambda x: lax.reshape(cubes(x), (3, 2)),
    ),
    both("collapse", M, truth=lambda x: cubes(x).ravel(), call=lambda x: lax.collapse(cubes(x), 0)),
    both(
        "transpose", M, truth=lambda x: cubes(x).T, call=lambda x: lax.transpose(cubes(x), (1, 0))
    ),
    both("rev", M, truth=lambda x: cubes(x)[:, ::-1], call=lambda x: lax.rev(cubes(x), (1,))),
    both("squeeze", [V], truth=cubes, call=lambda x: lax.squeeze(cubes(x), (0,))),
    both("expand_dims", V, truth=cubes, call=lambda x: lax.expand_dims(cubes(x), (0,))),
    both(
        "broadcast",
        V,
        truth=lambda x: np.stack([cubes(x)] * 2),
        call=lambda x: lax.broadcast(cubes(x), (2,)),
    ),
    both(
        "broadcast_in_dim",
        V,
        truth=lambda x: np.stack([cubes(x)] * 2),
        call=lambda x: lax.broadcast_in_dim(cubes(x), (2, 3), (1,)),
    ),
    both(
        "concatenate",
        V,
        truth=lambda x: np.concatenate([cubes(x), x]),
        call=lambda x: lax.concatenate([cubes(x), x], 0),
    ),
    both(
        "stack", V, truth=lambda x: np.stack([cubes(x), x]), call=lambda x: lax.stack([cubes(x), x])
    ),
    both(
        "split",
        V,
        truth=lambda x: [cubes(x)[:1], cubes(x)[1:]],
        call=lambda x: lax.split(cubes(x), (1, 2)),
    ),
    both("unstack", V, truth=lambda x: list(cubes(x)), call=lambda x: lax.unstack(cubes(x))),
    both("tile", V, truth=lambda x: np.tile(cubes(x), 2), call=lambda x: lax.tile(cubes(x), (2,))),
    both(
        "pad",
        (V, 0.5),
        truth=lambda x, p: np.array([x[1] ** 3, p, x[2] ** 3, p]),
        call=lambda x, p: lax.pad(cubes(x), p, ((-2, 1, 1),)),
    ),
    both("slice", V, truth=lambda x: cubes(x)[1:], call=lambda x: lax.slice(cubes(x), (1,), (3,))),
    both(
        "slice_in_dim",
        V,
        truth=lambda x: cubes(x)[1:],
        call=lambda x: lax.slice_in_dim(cubes(x), 1, 3),
    ),
    both(
        "index_in_dim", V, truth=lambda x: cubes(x)[1], call=lambda x: lax.index_in_dim(cubes(x), 1)
    ),
    both(
        "dynamic_slice",
        V,
        truth=lambda x: cubes(x)[1:],
        call=lambda x: lax.dynamic_slice(cubes(x), (1,), (2,)),
    ),
    both(
        "dynamic_slice_in_dim",
        V,
        truth=lambda x: cubes(x)[1:],
        call=lambda x: lax.dynamic_slice_in_dim(cubes(x), 1, 2),
    ),
    both(
        "dynamic_index_in_dim",
        V,
        truth=lambda x: cubes(x)[1],
        call=lambda x: lax.dynamic_index_in_dim(cubes(x), 1),
    ),
    both(
        "dynamic_update_slice",
        (V, [4.0]),
        truth=lambda x, u: np.array([x[0], u[0] ** 3, x[2]]),
        call=lambda x, u: lax.dynamic_update_slice(x, cubes(u), (1,)),
    ),
    both(
        "dynamic_update_slice_in_dim",
        (V, [4.0]),
        truth=lambda x, u: np.array([x[0], u[0] ** 3, x[2]]),
        call=lambda x, u: lax.dynamic_update_slice_in_dim(x, cubes(u), 1, 0),
    ),
    both(
        "dynamic_update_index_in_dim",
        (V, 4.0),
        truth=lambda x, u: np.array([x[0], u**3, x[2]]),
        call=lambda x, u: lax.dynamic_update_index_in_dim(x, cubes(u), 1, 0),
    ),
    both(
        "gather",
        V,
        truth=lambda x: cubes(x)[[1, 1, 0]],
        call=lambda x: lax.gather(cubes(x), MET, TAKEN, (1,)),
    ),
    scatter("scatter", lambda x, u: u[::-1], (V, ONE_ZERO), indices=np.array([[2], [1], [0]])),
    scatter(
        "scatter_add", lambda x, u: np.array([x[0] + u[2], x[1] + u[0] + u[1], x[2]]), (V, ONE_ZERO)
    ),
    scatter(
        "scatter_mul",
        lambda x, u: np.array([x[0] * u[2], x[1] * u[0] * u[1], x[2]]),
        (V, V),
        (V, ONE_ZERO),
        (ZEROS, TWO_ZEROS),
        (ONE_ZERO, ZEROS),
    ),
    scatter(
        "scatter_max",
        lambda x, u: np.array([max(x[0], u[2]), max(x[1], u[0], u[1]), x[2]]),
        (V, ONE_ZERO),
        ([9.0, 9.0, 9.0], V),
    ),
    scatter(
        "scatter_min",
        lambda x, u: np.array([min(x[0], u[2]), min(x[1], u[0], u[1]), x[2]]),
        (V, ONE_ZERO),
        ([9.0, 9.0, 9.0], V),
    ),
    both("sort", V, truth=lambda x: np.sort(cubes(x)), call=lambda x: lax.sort(cubes(x))),
    both(
        "sort_key_val",
        V,
        truth=lambda x: x[[1, 0, 2]] ** 2,
        call=lambda x: lax.sort_key_val(x, x * x)[1],
    ),
    both(
        "top_k",
        V,
        truth=lambda x: np.sort(cubes(x))[::-1][:2],
        call=lambda x: lax.top_k(cubes(x), 2)[0],
    ),
)


def power_by_scan(x: Any) -> Any:
    """x ** 4, with the powers before it."""
    return lax.scan(lambda c, _: (c * x, c), x, None, length=3)


def power_by_while(x: Any) -> Any:
    """x ** 4."""
    return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x))[1]


def across(collective: Function) -> Function:
    """A collective over the elements of a vector."""
    over = treadle.vmap(lambda e: collective(cubes(e), "i"), axis_name="i", out_axes=None)
    return lambda x: over(x)


CONTROL: Final = (
    scalar(
        "lax.cond",
        lambda x: x**3,
        0.0,
        2.0,
        function=lambda x: lax.cond(x < 100.0, lambda y: y * y * y, tnp.sin, x),
    ),
    scalar(
        "lax.switch",
        lambda x: x**3,
        0.0,
        2.0,
        function=lambda x: lax.switch(1, [tnp.sin, lambda y: y * y * y], x),
    ),
    scalar(
        "lax.scan", lambda x: [x**4, np.array([x, x**2, x**3])], 0.0, -2.0, function=power_by_scan
    ),
    scalar(
        "lax.fori_loop",
        lambda x: x**4,
        0.0,
        -2.0,
        function=lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, x),
    ),
    scalar(
        "lax.while_loop",
        lambda x: x**4,
        0.0,
        -2.0,
        function=power_by_while,
        modes="F",
        because="how often it runs is not known before, so it cannot be run backwards",
    ),
    array("lax.map", V, truth=cubes, function=lambda x: lax.map(cubes, x)),
    array(
        "lax.associative_scan",
        V,
        ONE_ZERO,
        TWO_ZEROS,
        truth=np.cumprod,
        function=lambda x: lax.associative_scan(tnp.multiply, x),
    ),
    array("lax.psum", V, truth=lambda x: np.sum(cubes(x)), function=across(lax.psum)),
    array("lax.pmean", V, truth=lambda x: np.sum(cubes(x)) / 3, function=across(lax.pmean)),
    array("lax.pmax", V, truth=lambda x: np.max(cubes(x)), function=across(lax.pmax)),
    array("lax.pmin", V, truth=lambda x: np.min(cubes(x)), function=across(lax.pmin)),
    array("lax.all_gather", V, truth=cubes, function=across(lax.all_gather)),
)
ROWS: Final[tuple[Row, ...]] = (*SUMS, *MOVED, *CONTROL)
