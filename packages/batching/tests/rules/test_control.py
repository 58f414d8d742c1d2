from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from treadle_batching import Axis, batch_flat, vmap
from treadle_ir import Operand, Program, bind, ops, stage
from treadle_ir.primitives.collective import AxisIndex
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.testing.examples import array_type

F = array_type("f64[]")
V = array_type("f64[3]")
INDEX = array_type("i32[]")
ROWS = 4
RANDOM = np.random.default_rng(3)
X, Y, XS = RANDOM.normal(size=3), RANDOM.normal(size=3), RANDOM.normal(size=(5, 3))


def assert_loops(function: Callable[..., Sequence[Any]], arguments: Sequence[Any]) -> None:
    """Vectorised over every choice of axes, a function does what it does row by row."""
    choices = [(None, *range(np.ndim(x) + 1)) for x in arguments]
    for dims in itertools.product(*choices):
        if all(dim is None for dim in dims):
            continue
        given = [x if d is None else spread(x, d) for x, d in zip(arguments, dims, strict=True)]
        actual = vmap(function, in_axes=dims)(*given)
        for row in range(ROWS):
            rows = [
                x if d is None else np.take(x, row, axis=d)
                for x, d in zip(given, dims, strict=True)
            ]
            for one, expected in zip(actual, function(*rows), strict=True):
                np.testing.assert_allclose(one[row], expected, rtol=1e-12, err_msg=str(dims))


def spread(x: Any, dim: int) -> Any:
    step = 1 if np.asarray(x).dtype == np.int32 else 0.1
    return np.stack([np.asarray(x + step * k).astype(x.dtype) for k in range(ROWS)], axis=dim)


BRANCHES = tuple(
    stage(branch, V, V).program
    for branch in (
        lambda x, y: [ops.multiply(ops.sine(x), y), x],
        lambda x, y: [ops.exponential(x), ops.multiply(x, x)],
        lambda x, y: [y, ops.tanh(ops.multiply(x, y))],
    )
)
BELOW = stage(lambda k, i, x: [ops.compare(i, k, direction="lt")], INDEX, INDEX, V).program
STEP = stage(
    lambda w, i, x: [ops.add(i, np.int32(1)), ops.sine(ops.multiply(w, x))], V, INDEX, V
).program


def test_case() -> None:
    assert_loops(lambda i, x, y: bind(Case(BRANCHES), i, x, y), [np.int32(-1), X, Y])


def staged_primitives(
    function: Callable[..., Any], dims: Sequence[int | None], *types: str
) -> list[str]:
    """The names of the operations of a vectorised function."""
    program = stage(
        lambda *xs: batch_flat(function, Axis(ROWS), xs, dims)[0], *map(array_type, types)
    ).program
    return [equation.primitive.name for equation in program.equations]


def test_one_index_for_all_rows_stays_a_choice() -> None:
    names = staged_primitives(
        lambda i, x, y: bind(Case(BRANCHES), i, x, y),
        (None, 0, None),
        "i32[]",
        "f64[4,3]",
        "f64[3]",
    )
    assert names == ["case"]


@pytest.mark.parametrize("bound", [None, 3])
def test_while(bound: int | None) -> None:
    loop = While(BELOW, STEP, 1, 1, bound)
    assert_loops(lambda k, w, x: bind(loop, k, w, np.int32(0), x), [np.int32(1), X, Y])


def test_while_rows_that_are_done_keep_their_values() -> None:
    """A row that is done would divide by zero if it went on; it may, but what it gives is not taken."""
    positive = stage(lambda x: [ops.compare(x, np.float64(0), direction="gt")], F).program
    step = stage(
        lambda x: [ops.multiply(ops.subtract(x, np.float64(1)), ops.divide(x, x))], F
    ).program
    result = vmap(lambda x: bind(While(positive, step), x)[0])(np.array([0.0, 1.0, 5.0, -2.0]))
    np.testing.assert_array_equal(result, [0, 0, 0, -2])


def test_while_carries_that_are_the_same_for_all_rows_stay_so() -> None:
    program = stage(
        lambda x: batch_flat(
            lambda x: bind(While(BELOW, STEP, 1, 1), np.int32(3), X, np.int32(0), x),
            Axis(ROWS),
            [x],
            [0],
        )[0],
        array_type("f64[4,3]"),
    ).program
    (loop,) = [e for e in program.equations if e.primitive.name == "while"]
    assert [str(result.type) for result in loop.results] == ["i32[]", "f64[4,3]"]


def scan_body() -> Program:
    def turn(w: Operand, c: Operand, n: Operand, x: Operand) -> list[Operand]:
        moved = ops.sine(ops.add(c, ops.multiply(w, x)))
        return [moved, ops.add(n, np.int32(1)), ops.multiply(c, x), ops.cosine(w), n]

    return stage(turn, V, V, INDEX, V).program


@pytest.mark.parametrize("reverse", [False, True])
def test_scan(reverse: bool) -> None:
    scan = Scan(scan_body(), 5, 1, 2, reverse)
    assert_loops(lambda w, c, xs: bind(scan, w, c, np.int32(0), xs), [X, Y, XS])


def test_scan_carries_that_become_batched() -> None:
    """The first carry is batched only after one turn, the second only after two."""
    body = stage(lambda w, c, d: [ops.add(c, w), ops.add(d, c)], F, F, F).program
    scan = Scan(body, 4, 1, 2)
    assert_loops(lambda w: bind(scan, w, np.float64(0), np.float64(0)), [np.float64(1.5)])


def test_nested_vmap() -> None:
    loop = While(BELOW, STEP, 1, 1)
    iterations = np.array([[1, 2], [3, 0]], np.int32)
    xs = RANDOM.normal(size=(2, 2, 3))
    actual = vmap(vmap(lambda k, x: bind(loop, k, X, np.int32(0), x)[1]))(iterations, xs)
    for i, j in itertools.product(range(2), range(2)):
        expected = bind(loop, iterations[i, j], X, np.int32(0), xs[i, j])[1]
        np.testing.assert_allclose(actual[i, j], np.asarray(expected))


def test_a_body_may_use_the_named_axis() -> None:
    """Also where no operand of the loop is batched."""
    body = stage(lambda c: [ops.add(c, bind(AxisIndex(("rows",)))[0])], INDEX).program
    results = vmap(lambda x: bind(Scan(body, 3, 0, 1), np.int32(0))[0], axis_name="rows")(
        np.zeros(4)
    )
    np.testing.assert_array_equal(results, [0, 3, 6, 9])


ROW: Any = {
    "offset_dims": (),
    "collapsed_slice_dims": (0,),
    "start_index_map": (0,),
    "slice_sizes": (1,),
    "mode": "promise_in_bounds",
    "unique_indices": True,
    "indices_are_sorted": True,
}
PAIR = array_type("i32[2,1]")


def test_branches_that_no_batch_element_takes_promise_nothing() -> None:
    """Each batch element reads elements in range, sorted and distinct, or none at all."""
    read = stage(lambda x, i: [ops.gather(x, i, **ROW)], V, PAIR).program
    none = stage(
        lambda x, i: [ops.broadcast_in_dim(np.float64(0), shape=(2,), dimensions=())], V, PAIR
    ).program
    indices = np.array([[[9], [0]], [[1], [1]], [[0], [2]]], np.int32)
    taken = np.array([1, 1, 0], np.int32)
    actual = vmap(lambda k, i: bind(Case((read, none)), k, X, i)[0])(taken, indices)
    np.testing.assert_array_equal(actual, [[0, 0], [0, 0], X[[0, 2]]])


def test_loops_that_go_on_for_others_promise_nothing() -> None:
    """Of three elements each batch element sums its own number; when it is done its index is out of range."""
    below = stage(
        lambda i, total: [ops.compare(i, np.int32(3), direction="lt")],
        INDEX,
        F,
    ).program
    added = stage(
        lambda x, i, total: [
            ops.add(i, np.int32(1)),
            ops.add(total, ops.gather(x, ops.reshape(i, shape=(1,)), **ROW)),
        ],
        V,
        INDEX,
        F,
    ).program
    loop = While(below, added, 0, 1)
    starts = np.array([0, 2, 3], np.int32)
    actual = vmap(lambda i: bind(loop, X, i, np.float64(0))[1])(starts)
    np.testing.assert_allclose(actual, [X.sum(), X[2], 0])
