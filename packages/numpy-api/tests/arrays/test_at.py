"""What the methods of `x.at[...]` share: names, documentation, and what they refuse."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArgumentError
from treadle_numpy.arrays.at import UpdatesAt, at

METHODS = ["set", "add", "subtract", "multiply", "divide", "power", "min", "max"]


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_named_and_documented(name: str) -> None:
    method = getattr(UpdatesAt, name)
    assert method.__qualname__ == f"UpdatesAt.{name}"
    assert method.__doc__.startswith("Return the array ")


INDICES = [
    *(
        -1,
        np.int32(-1),
        np.array([-1, 2, 0]),
        np.array([[-4, 1]], np.int8),
        np.array([1, 200], np.uint8),
    ),
    *(
        (Ellipsis, -2),
        (np.array([-1, 1]), None, np.array([0, -1])),
        (slice(-2, None), -1),
        ([0, -1],),
    ),
    *((np.array([True, False, True]), -1), (True, -1)),
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
@pytest.mark.parametrize("name", METHODS)
def test_negative_positions_that_are_out_of_range(name: str, index: Any) -> None:
    x = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    found = getattr(at(x)[index], name)(2.0, wrap_negative_indices=False)
    # The same where the array goes on before its first element: what is updated there is cut away.
    before = np.pad(x, ((300, 300), (300, 300)), constant_values=1)
    np.testing.assert_array_equal(
        found, np.asarray(getattr(at(before)[moved(index, x.shape)], name)(2.0))[300:303, 300:304]
    )


def moved(index: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """The index for an array with 300 places more before each axis, within which it finds the same elements."""
    items = list(index) if isinstance(index, tuple) else [index]
    counts = [
        0 if x is None or x is True else 2 if x is Ellipsis and len(items) == 1 else 1
        for x in items
    ]
    items += [slice(None)] * (len(shape) - sum(counts))
    result: list[Any] = []
    axis = 0
    for item in items:
        if item is None or item is True:
            result.append(item)
            continue
        if item is Ellipsis or isinstance(item, slice):
            start, stop, _ = (slice(None) if item is Ellipsis else item).indices(shape[axis])
            result.append(slice(300 + start, 300 + stop))
        elif getattr(item, "dtype", None) == np.bool_:
            result.append(300 + np.flatnonzero(item))
        else:
            result.append(300 + np.asarray(item, np.int32))
        axis += 1
    return tuple(result)


def test_what_is_read_at_negative_positions_that_are_out_of_range() -> None:
    x, places = np.arange(1.0, 6.0), np.array([-1, 1, 7])

    def read(index: Any, **how: Any) -> Any:
        return np.asarray(at(x)[index].get(wrap_negative_indices=False, **how)).tolist()

    assert read(places) == read(places, mode="clip") == [1.0, 2.0, 5.0]
    assert read(places, mode="fill", fill_value=-9) == [-9.0, 2.0, -9.0]
    assert read(-1) == 1.0
    with pytest.raises(ArgumentError, match="wrap_negative_indices"):
        at(x)[0].get(wrap_negative_indices="no")  # type: ignore[arg-type]


@pytest.mark.parametrize("index", [0, slice(1, None), np.array([0, 2, 3])])
@pytest.mark.parametrize("value", [2.5, -1.5, np.float32(0.5)])
@pytest.mark.parametrize(
    ("name", "numpys"),
    [
        ("add", np.add),
        ("subtract", np.subtract),
        ("multiply", np.multiply),
        ("min", np.minimum),
        ("max", np.maximum),
    ],
)
def test_values_of_a_wider_type_meet_the_elements_in_it(
    name: str, numpys: np.ufunc, value: float, index: Any
) -> None:
    """As NumPy combines them: the result is converted, not the value."""
    x = np.array([-3, -2, 5, 7], np.int32)
    expected = x.copy()
    expected[index] = numpys(x[index], value).astype(np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        found = getattr(at(tnp.asarray(x))[index], name)(value)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, expected)


def test_values_put_in_place_are_converted_alone() -> None:
    x = tnp.asarray(np.array([16777217, 5], np.int32))  # float32 cannot represent the first
    with pytest.warns(FutureWarning, match="incompatible types"):
        np.testing.assert_array_equal(at(x)[1].set(1.5), [16777217, 1])


def test_a_lossy_update_warns_of_it() -> None:
    with pytest.warns(FutureWarning, match="dtype=float32 to dtype=int32"):
        at(tnp.ones(3, int))[0].multiply(2.5)


def test_booleans_are_subtracted_as_numbers() -> None:
    np.testing.assert_array_equal(at(tnp.ones(2, int))[0].subtract(True), [0, 1])


def test_quotients_are_floating() -> None:
    quotients = at(tnp.asarray(np.array([3, 5], np.int32)))[0].divide(2)
    assert quotients.dtype == np.float32
    np.testing.assert_array_equal(quotients, [1.5, 5])


def test_what_is_to_be_updated() -> None:
    x = tnp.ones(3)
    for updates in (at(x), at(x)[1]):
        np.testing.assert_array_equal(updates.array, x)
    assert at(x)[1, ...].index == (1, ...)


CUT = np.arange(12.0, dtype=np.float32).reshape(3, 4)
EVERY, STATIC, GATHER = (
    ("auto", "gather", "static_slice", "dynamic_slice"),
    ("auto", "gather", "static_slice"),
    ("auto", "gather"),
)
DYNAMIC = ("auto", "gather", "dynamic_slice")
STRATEGIES = [  # with those that can read it: as JAX 0.12.0.1 does
    (1, EVERY),
    ((1, 2), EVERY),
    (np.int32(1), EVERY),
    (slice(1, 3), EVERY),
    (slice(None, None, -1), EVERY),
    ((None, 1), EVERY),
    ((..., 1), EVERY),
    ((slice(None), slice(0, 4, 2)), STATIC),
    (np.array(1, np.int32), DYNAMIC),
    ((np.array(1, np.int32), slice(1, 3)), DYNAMIC),
    ((np.array(1, np.int32), slice(0, 4, 2)), GATHER),
    (np.array([0, 1]), GATHER),
    (([0, 1],), GATHER),
    (True, GATHER),
]


@pytest.mark.parametrize(("index", "able"), STRATEGIES)
def test_strategies_read_what_they_can(index: Any, able: tuple[str, ...]) -> None:
    for strategy in EVERY:
        if strategy in able:
            read = at(CUT)[index].get(strategy=strategy)
            assert np.asarray(read).tolist() == CUT[index].tolist()
        else:
            with pytest.raises(ArgumentError, match=strategy):
                at(CUT)[index].get(strategy=strategy)


def test_strategies_at_the_ends_of_an_axis() -> None:
    for position in (3, -4):
        clipped = at(CUT)[position].get(strategy="dynamic_slice")
        assert (
            clipped.tolist() == at(CUT)[position].get(strategy="static_slice", mode="clip").tolist()
        )
        with pytest.raises(IndexError, match=f"position {position} is beyond axis 0 of size 3"):
            at(CUT)[position].get(strategy="static_slice")
    with pytest.raises(IndexError, match="position -1"):
        at(CUT)[..., -1].get(strategy="static_slice", wrap_negative_indices=False)
    for strategy in ("static_slice", "dynamic_slice"):
        with pytest.raises(ArgumentError, match="cannot fill"):
            at(CUT)[0].get(strategy=strategy, mode="fill")


@pytest.mark.parametrize("strategy", ["one_hot", None, 3])
def test_unknown_strategies_are_refused(strategy: Any) -> None:
    with pytest.raises(ArgumentError, match="strategy must be one of auto, gather"):
        at(CUT)[0].get(strategy=strategy)


@pytest.mark.parametrize("strategy", [None, 3, np.array(["auto", "auto"]), np.array(["a"], object)])
def test_a_strategy_that_is_no_word_is_refused(strategy: Any) -> None:
    with pytest.raises(ArgumentError, match="strategy"):
        at(CUT)[0].get(strategy=strategy)
