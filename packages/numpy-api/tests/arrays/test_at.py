"""What the methods of `x.at[...]` share: names, documentation, and what they refuse."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import UnsupportedError
from treadle_numpy.arrays.at import UpdatesAt, at

METHODS = ["set", "add", "subtract", "multiply", "divide", "power", "min", "max"]


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_named_and_documented(name: str) -> None:
    method = getattr(UpdatesAt, name)
    assert method.__qualname__ == f"UpdatesAt.{name}"
    assert method.__doc__.startswith("The array ")


@pytest.mark.parametrize("name", METHODS)
def test_negative_positions_always_wrap(name: str) -> None:
    here = at(tnp.ones(3))[np.array([-1])]
    with pytest.raises(UnsupportedError, match="wrap_negative_indices=False is not supported"):
        getattr(here, name)(2.0, wrap_negative_indices=False)


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
    x = tnp.asarray(np.array([16777217, 5], np.int32))  # the first is no float32
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
