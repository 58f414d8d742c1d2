"""The methods of ufuncs are NumPy's: by the reduction there is, and one element after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ArrayType, UnsupportedError, stage
from treadle_ir.errors import AxisError
from treadle_numpy import numpy as tnp

WEIGHTED: Final = tnp.frompyfunc(lambda x, y: x + 2 * y, 2, 1)
FUNCTIONS: Final = {
    name: (getattr(tnp, name), getattr(np, name))
    for name in (
        *("add", "subtract", "multiply", "maximum", "minimum", "logaddexp", "logaddexp2"),
        *("bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor"),
    )
}
BINARY = st.sampled_from(sorted(FUNCTIONS))
SHAPES = st.sampled_from([(1,), (5,), (2, 3), (3, 1, 2), (2, 0)])


def drawn(name: str, shape: tuple[int, ...]) -> Any:
    random = np.random.default_rng(len(shape))
    numbers = random.integers(-4, 5, shape)
    return numbers.astype(np.int64 if name.startswith("bit") else np.float64)


def same(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("wide")
@given(BINARY, SHAPES, st.data())
@settings(max_examples=150, deadline=None)
def test_reduce_and_accumulate(name: str, shape: tuple[int, ...], data: st.DataObject) -> None:
    ours, numpys = FUNCTIONS[name]
    x = drawn(name, shape)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    keepdims = data.draw(st.booleans())
    if numpys.identity is not None or x.shape[axis]:
        same(ours.reduce(x, axis, keepdims=keepdims), numpys.reduce(x, axis, keepdims=keepdims))
        if name != "subtract" and x.size:
            same(ours.reduce(x, None), numpys.reduce(x, None))
    same(ours.reduce(x, axis, initial=2), numpys.reduce(x, axis, initial=2))
    if name.startswith("log") and not name.startswith("logadd"):
        x = x != 0  # NumPy's intermediate results are booleans from the second on
    same(ours.accumulate(x, axis), numpys.accumulate(x, axis))


@pytest.mark.usefixtures("wide")
@given(BINARY, SHAPES, st.data())
@settings(max_examples=100, deadline=None)
def test_reduceat_at_and_outer(name: str, shape: tuple[int, ...], data: st.DataObject) -> None:
    ours, numpys = FUNCTIONS[name]
    x = drawn(name, shape)
    axis = data.draw(st.integers(0, len(shape) - 1))
    size = shape[axis]
    if size:
        places = np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=5)))
        masked = x != 0 if name.startswith("logical") else x
        same(ours.reduceat(masked, places, axis), numpys.reduceat(masked, places, axis))
        rows = np.array(data.draw(st.lists(st.integers(-shape[0], shape[0] - 1), max_size=5)), int)
        values = drawn(name, (rows.size, *shape[1:]))
        expected = x.copy()
        numpys.at(expected, rows, values)
        same(ours.at(x, rows, values, inplace=False), expected)
    y = drawn(name, (3,))
    same(ours.outer(x, y), numpys.outer(x, y))


@pytest.mark.usefixtures("wide")
def test_where() -> None:
    x = np.arange(6.0).reshape(2, 3)
    mask = x > 1
    for name in ("add", "multiply", "logaddexp"):
        ours, numpys = FUNCTIONS[name]
        same(ours.reduce(x, 1, where=mask), numpys.reduce(x, 1, where=mask))
    same(
        tnp.maximum.reduce(x, where=mask, initial=-1), np.maximum.reduce(x, where=mask, initial=-1)
    )
    same(tnp.subtract.reduce(x, where=mask, initial=9), 9 - np.sum(x, 0, where=mask))


def test_functions_of_users(staged: Callable[..., Any]) -> None:
    x = np.array([1.0, 10.0, 100.0], np.float32)
    np.testing.assert_array_equal(staged(WEIGHTED.reduce, x), 221)
    np.testing.assert_array_equal(staged(WEIGHTED.accumulate, x), [1, 21, 221])
    np.testing.assert_array_equal(
        staged(lambda a: WEIGHTED.reduceat(a, np.array([0, 2])), x), [21, 100]
    )
    np.testing.assert_array_equal(
        staged(lambda a: WEIGHTED.at(a, np.array([0, 0, 9]), 5, inplace=False), x), [21, 10, 100]
    )
    from_zero = tnp.frompyfunc(lambda x, y: x + 2 * y, 2, 1, identity=0)
    assert int(from_zero.reduce(np.array([1, 10]))) == 22
    assert int(from_zero.reduce(np.zeros(0, np.int32))) == 0
    negated = tnp.negative.at(x, np.array([0, 0, 1]), inplace=False)
    np.testing.assert_array_equal(negated, [1, -10, 100])


def test_attributes() -> None:
    assert isinstance(tnp.add, tnp.ufunc)
    assert (tnp.add.nin, tnp.add.nout, tnp.add.nargs, tnp.add.identity) == (2, 1, 3, 0)
    assert tnp.add.__name__ == "add"
    assert repr(tnp.add) == "<treadle.numpy.ufunc 'add'>"
    assert "The sum" in (tnp.add.__doc__ or "")


def test_refused() -> None:
    x = np.arange(3.0)
    for call, said in (
        (lambda: tnp.negative.reduce(x), "functions of two arguments"),
        (lambda: tnp.frompyfunc(lambda x, y: (x, y), 2, 2).outer(x, x), "with one result"),
        (lambda: tnp.maximum.reduce(x[:0]), "no identity"),
        (lambda: WEIGHTED.reduce(x[:0]), "no identity"),
        (lambda: WEIGHTED.reduce(x, where=x > 0), "no identity"),
        (lambda: tnp.maximum.reduce(x, where=x > 0), "no identity"),
        (lambda: tnp.add.reduceat(x, 1), "a vector of integers"),
        (lambda: tnp.add.at(x, 0, inplace=False), "must be given"),
        (lambda: tnp.negative.at(x, 0, 1, inplace=False), "cannot be given"),
        (lambda: tnp.frompyfunc(3, 1, 1), "a function"),  # type: ignore[arg-type]  # on purpose
        (lambda: tnp.frompyfunc(abs, -1, 1), "0 or more"),
    ):
        with pytest.raises(ArgumentError, match=said):
            call()
    with pytest.raises(UnsupportedError, match="in place"):
        tnp.add.at(x, 0, 1)
    with pytest.raises(AxisError):
        tnp.add.accumulate(x, 1)


@pytest.mark.parametrize(
    "places", [[0], [0, 2, 5], [1, 3, 6], [6], [0, 1, 2, 3, 4, 5, 6], [-7, -2]]
)
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract", "bitwise_xor"])
def test_parts_in_order_are_combined_in_one_pass(
    places: list[int], name: str, staged: Callable[..., Any]
) -> None:
    ours, numpys = FUNCTIONS[name]
    x = np.random.default_rng(0).integers(1, 9, (7, 2)).astype(np.int32)
    expected = numpys.reduceat(x, np.array(places) % 7, 0)
    np.testing.assert_array_equal(ours.reduceat(x, np.array(places), 0), expected)
    np.testing.assert_array_equal(
        staged(lambda a: ours.reduceat(a, np.array(places), 0), x), expected
    )
    program = stage(
        lambda a: [ours.reduceat(a, np.arange(0, 900, 10), 0)], ArrayType((900,), x.dtype)
    ).program
    (loop,) = [each for each in program.equations if type(each.primitive).__name__ == "Scan"]
    assert loop.results[0].type == ArrayType((), x.dtype)  # it carries one part, not all of them


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "int32", "bool"])
@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2", "maximum", "minimum"])
def test_at_gives_results_that_the_array_cannot_hold(name: str, dtype: str) -> None:
    """NumPy refuses them: it changes the array in place."""
    ours, numpys = getattr(tnp, name), getattr(np, name)
    x = np.ones(3, dtype)
    expected = x.astype(np.float32)
    numpys.at(expected, [0, 1, 1], np.float32(1.5))
    found = ours.at(x, np.array([0, 1, 1]), 1.5, inplace=False)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


def test_subtract_at_takes_unsigned_numbers_away() -> None:
    for dtype in (np.int32, np.float32):
        x = np.array([5, 6], dtype)
        found = tnp.subtract.at(x, np.array([0, 0]), np.ones(2, np.uint8), inplace=False)
        np.testing.assert_array_equal(found, [3, 6])
