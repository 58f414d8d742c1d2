"""Index expressions against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import treadle_numpy as tnp
from treadle_ir import ArrayType, interpret, stage
from treadle_ir.errors import NonConcreteBooleanIndexError, RangeError
from treadle_ir.settings import X64
from treadle_numpy.indexing.entries import read_index
from treadle_numpy.indexing.reading import take_entries

SHAPE = (3, 4, 2)
ELEMENTS = np.arange(24, dtype=np.float32).reshape(SHAPE)


def run(function: Callable[..., Any], x: Any) -> Any:
    found = stage(lambda t: [function(t)], ArrayType(x.shape, x.dtype))
    return np.asarray(interpret(found.program, *found.captured, x)[0])


@st.composite
def expressions(draw: Any, arrays: bool = True) -> Any:
    """An index expression for an array of shape SHAPE, in range."""
    count = draw(st.integers(0, 3))
    batch = draw(st.sampled_from([(), (2,), (1,), (2, 1), (2, 3)]))
    parts: list[Any] = []
    for axis in range(count):
        size = SHAPE[axis]
        kind = draw(st.sampled_from(["int", "slice", "array"] if arrays else ["int", "slice"]))
        if kind == "int":
            parts.append(draw(st.integers(-size, size - 1)))
        elif kind == "slice":
            bound = st.none() | st.integers(-size - 1, size + 1)
            step = draw(st.sampled_from([None, 1, 2, -1, -2, 3]))
            parts.append(slice(draw(bound), draw(bound), step))
        else:
            own = draw(st.sampled_from([batch, batch[-1:], ()]))
            flat = draw(
                st.lists(
                    st.integers(-size, size - 1),
                    min_size=int(np.prod(own)),
                    max_size=int(np.prod(own)),
                )
            )
            parts.append(np.array(flat, np.int32).reshape(own))
    for _ in range(draw(st.integers(0, 2))):
        parts.insert(draw(st.integers(0, len(parts))), None)
    if draw(st.booleans()):
        # `...` stands for the axes that are left, which are the last ones here
        parts.append(Ellipsis)
    return tuple(parts)


@settings(max_examples=300, deadline=None)
@given(expressions())
def test_getitem_agrees_with_numpy(index: Any) -> None:
    expected = ELEMENTS[index]
    np.testing.assert_array_equal(run(lambda x: x[index], ELEMENTS), expected)
    np.testing.assert_array_equal(take_entries(ELEMENTS, read_index(SHAPE, index)), expected)


@settings(max_examples=300, deadline=None)
@given(expressions(), st.sampled_from(["set", "add", "multiply", "max"]))
def test_updates_agree_with_numpy(index: Any, name: str) -> None:
    expected = ELEMENTS.copy()
    shape = expected[index].shape
    values = (np.arange(int(np.prod(shape)), dtype=np.float32) % 5 + 1).reshape(shape)
    if name == "set":
        values = np.full(shape, 7, np.float32)
        expected[index] = values
    else:
        ufunc = {"add": np.add, "multiply": np.multiply, "max": np.maximum}[name]
        ufunc.at(expected, index, values)
    separated = any(p is None for p in index) and any(isinstance(p, np.ndarray) for p in index)
    if separated:
        return  # new axes together with arrays of positions: see test_updates
    np.testing.assert_array_equal(
        run(lambda x: getattr(x.at[index], name)(values), ELEMENTS), expected
    )


def test_out_of_range_is_clipped() -> None:
    x = np.arange(3, dtype=np.float32)
    for index in (10, -10, np.array([5, -5])):
        expected = np.clip(np.where(np.asarray(index) < 0, np.asarray(index) + 3, index), 0, 2)
        np.testing.assert_array_equal(run(lambda t, index=index: t[index], x), x[expected])


def test_computed_scalars() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for i in (-4, -1, 0, 2, 9):
        found = stage(
            lambda a, b: [a[b], a[:, b], a[b, 1:3]],
            ArrayType(x.shape, x.dtype),
            ArrayType((), np.dtype(np.int32)),
        )
        rows, columns, part = interpret(found.program, x, np.array(i, np.int32))
        place = lambda n, i=i: min(max(i + n if i < 0 else i, 0), n - 1)  # noqa: E731
        np.testing.assert_array_equal(rows, x[place(3)])
        np.testing.assert_array_equal(columns, x[:, place(4)])
        np.testing.assert_array_equal(part, x[place(3), 1:3])


def test_masks() -> None:
    mask = ELEMENTS % 3 == 0
    np.testing.assert_array_equal(run(lambda x: x[mask], ELEMENTS), ELEMENTS[mask])
    np.testing.assert_array_equal(
        run(lambda x: x[:, mask[0, :, 0]], ELEMENTS), ELEMENTS[:, mask[0, :, 0]]
    )
    np.testing.assert_array_equal(
        run(lambda x: x[True, None, ..., 0], ELEMENTS), ELEMENTS[True, None, ..., 0]
    )
    with pytest.raises(NonConcreteBooleanIndexError, match="must be concrete"):
        run(lambda x: x[x > 2], ELEMENTS)
    with pytest.raises(IndexError, match="did not match"):
        run(lambda x: x[np.array([True, False])], ELEMENTS)


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        ((0, 0, 0, 0), IndexError, "Too many indices: array is 3-dimensional, but 4 were indexed"),
        ([0, 1], TypeError, "non-tuple sequence"),
        ("a", TypeError, "string indexing"),
        (1.5, TypeError, "integer or boolean type"),
        ((Ellipsis, Ellipsis), IndexError, "single ellipsis"),
    ],
)
def test_refused(index: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run(lambda x: x[index], ELEMENTS)


@pytest.mark.parametrize(
    "index",
    [
        (slice(None), [0, 2]),
        (..., [1, 0, -1]),
        ([0, 2], [3, 1]),
        ([[0], [2]], (3, 1)),
        ([True, False, True], 1),
        ([0, 1], slice(None, None, -1), 1),
        ([], 0),
        (None, [2, 2]),
        ([np.int8(1), 0], np.array([3, -1])),
    ],
)
def test_sequences_with_other_indices(index: Any) -> None:
    """NumPy's rule: a list or a tuple within the index is an array."""
    found = run(lambda x: x[index], ELEMENTS)
    np.testing.assert_array_equal(found, ELEMENTS[index])
    expected = ELEMENTS.copy()
    expected[index] = -1
    np.testing.assert_array_equal(
        run(lambda x: tnp.asarray(x).at[index].set(-1), ELEMENTS), expected
    )


def test_sequences_of_traced_positions() -> None:
    i = np.array(2, np.int32)
    staged = stage(
        lambda x, i: [x[:, [0, i]]],
        ArrayType(ELEMENTS.shape, ELEMENTS.dtype),
        ArrayType((), i.dtype),
    )
    found = interpret(staged.program, ELEMENTS, i)[0]
    np.testing.assert_array_equal(found, ELEMENTS[:, [0, 2]])


def test_sequences_that_are_no_positions() -> None:
    with pytest.raises(TypeError, match="integer or boolean type"):
        run(lambda x: x[0, [0.5]], ELEMENTS)
    with pytest.raises(ValueError, match="unequal lengths"):
        run(lambda x: x[0, [[0], [1, 2]]], ELEMENTS)


def test_slices_need_known_bounds() -> None:
    with pytest.raises(IndexError, match="Slice entries must be static integers"):
        stage(lambda a, i: [a[i:]], ArrayType((3,), np.dtype("f4")), ArrayType((), np.dtype("i4")))


def test_one_equation_for_a_static_slice() -> None:
    found = stage(lambda a: [a[1:3]], ArrayType((4,), np.dtype("f4")))
    assert [equation.primitive.name for equation in found.program.equations] == ["slice"]


def test_take_modes() -> None:
    x = np.array([1.0, 2.0, 3.0], np.float32)
    at = np.array([0, 5, -1, -9])
    np.testing.assert_array_equal(tnp.take(x, at), [1, np.nan, 3, np.nan])
    np.testing.assert_array_equal(tnp.take(x, at, mode="clip"), np.take(x, at, mode="clip"))
    np.testing.assert_array_equal(tnp.take(x, at, mode="wrap"), np.take(x, at, mode="wrap"))
    np.testing.assert_array_equal(tnp.take(x, at, mode="fill", fill_value=-1), [1, -1, 3, -1])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("axis", [0, 1])
def test_take_along_axis_of_nothing(shape: tuple[int, int], axis: int) -> None:
    x = np.zeros(shape, np.float32)
    found = run(lambda x: tnp.take_along_axis(x, np.zeros(shape, int), axis), x)
    assert found.shape == shape


def test_take_along_axis() -> None:
    order = np.argsort(-ELEMENTS, axis=1)
    np.testing.assert_array_equal(
        tnp.take_along_axis(ELEMENTS, order, 1), np.take_along_axis(ELEMENTS, order, axis=1)
    )


@pytest.mark.parametrize("place", [2**63, 2**70, -(2**63) - 1, -(2**70)])
@pytest.mark.parametrize(
    "use",
    [
        lambda x, i: x[i],
        lambda x, i: x[None, ..., i],
        lambda x, i: x[None][np.array([0]), i],
        lambda x, i: x.at[i].get(),
        lambda x, i: x.at[i].set(7.0),
        lambda x, i: x.at[i].add(7.0, mode="clip"),
    ],
)
def test_integers_of_more_than_64_bits_are_refused(use: Any, place: int) -> None:
    """They would be clamped in silence; an operand of positions cannot hold them."""
    with pytest.raises(RangeError, match=r"an index is .*, which has more than 64 bits"):
        run(lambda x: use(x, place), np.arange(3, dtype=np.float32))


@pytest.mark.parametrize("place", [2**31, 2**62, -(2**31), -(2**62)])
def test_integers_of_64_bits_are_outside(place: int) -> None:
    x = np.arange(3, dtype=np.float32)
    for mode in (None, "drop"):
        np.testing.assert_array_equal(run(lambda t, m=mode: t.at[place].add(7.0, mode=m), x), x)
    clipped = [7.0, 1.0, 2.0] if place < 0 else [0.0, 1.0, 7.0]
    np.testing.assert_array_equal(run(lambda t: t.at[place].set(7.0, mode="clip"), x), clipped)


@pytest.mark.parametrize("wide_first", [False, True])
def test_known_places_have_the_integers_of_the_width_in_force(wide_first: bool) -> None:
    """The cached analysis of an index under one width is not used under the other."""
    x = ArrayType((7 + wide_first, 3), np.dtype("f4"))  # each order begins with nothing remembered
    for wide in (wide_first, not wide_first):
        with X64.override(wide):
            program = stage(lambda t: [tnp.asarray(t).at[2].set(1.0)], x).program
            types = [each.type for equation in program.equations for each in equation.operands]
            arrays = [type for type in types if isinstance(type, ArrayType)]
            found = {type.dtype.itemsize for type in arrays if type.dtype.kind == "i"}
            assert found == {8 if wide else 4}, str(program)
