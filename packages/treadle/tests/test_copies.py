"""Copies of arrays: what may be donated without taking the original along, and what `bytes` makes of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp


def test_a_copy_can_be_donated() -> None:
    donate = treadle.jit(lambda x: x + 1, donate_argnums=0)
    copies: list[Any] = [
        tnp.array,
        lambda x: tnp.asarray(x, copy=True),
        lambda x: treadle.device_put(x, may_alias=False),
        lambda x: +x,
        lambda x: x.flatten(),
    ]
    for copy in copies:
        x = tnp.arange(3.0) + 1
        given = copy(x)
        np.testing.assert_array_equal(donate(given), [2, 3, 4])
        assert given.is_deleted()
        np.testing.assert_array_equal(x, [1, 2, 3])


def test_array_copies_unless_told_otherwise() -> None:
    x = tnp.arange(3.0)
    assert tnp.array(x) is not x
    assert tnp.array(x, copy=False) is x
    assert tnp.asarray(x) is x
    assert tnp.array(x, ndmin=2).shape == (1, 3)


@pytest.mark.parametrize("x", [np.int32(3), np.arange(3, dtype=np.int16), np.ones((2, 2), bool)])
def test_bytes_are_those_of_the_elements(x: Any) -> None:
    assert (
        bytes(tnp.asarray(x)) == x.tobytes()
    )  # and not what `bytes` makes of a number or of a list of them


def test_memory_cannot_be_given_away_and_shared() -> None:
    with pytest.raises(treadle.errors.ArgumentError, match="may_alias and donate"):
        treadle.device_put(tnp.ones(2), donate=True, may_alias=True)
