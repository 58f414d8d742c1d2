from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import (
    ArgumentError,
    ArrayType,
    ConcretizationError,
    DTypeError,
    IndexingError,
    ShapeError,
    stage,
)

CHOICES: Any = [np.arange(3, dtype=np.int32), np.arange(3, dtype=np.int32) + 10, np.int32(7)]


@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("a", [[0, 5, -1], [-7, 2, 1], 4, [[0], [9]]])
def test_choose_agrees_with_numpy(mode: str, a: Any) -> None:
    wanted = np.choose(a, CHOICES, mode=mode)
    np.testing.assert_array_equal(tnp.choose(np.array(a), CHOICES, mode=mode), wanted)


def test_choose_takes_one_array_of_choices() -> None:
    choices = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(tnp.choose(np.array([2, 0, 1, 0]), choices), [8, 1, 6, 3])
    assert tnp.choose(np.zeros((0,), int), [1.5, 2]).shape == (0,)


def test_choose_promotes_the_choices() -> None:
    chosen = tnp.choose(np.array([True, False]), [np.int32(1), np.float32(2.5)])
    assert chosen.dtype == np.float32
    np.testing.assert_array_equal(chosen, [2.5, 1])


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((np.array([0, 5]), [1, 2]), IndexingError, "5 names none of 2 choices"),
        ((0, []), ArgumentError, "at least one choice"),
        ((0.5, [1, 2]), DTypeError, "named by integers"),
        ((np.array([0, 1, 0]), [np.array([1, 2]), np.array([3, 4])]), ShapeError, "shapes"),
        ((0, [1], None, "wrong"), ArgumentError, "mode is 'wrong'"),
        ((0, [1], 3), ArgumentError, "`out`"),
    ],
)
def test_choose_says_what_is_wrong(args: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tnp.choose(*args)


def test_choose_with_raise_must_know_the_integers() -> None:
    with pytest.raises(ConcretizationError, match='mode="raise"'):
        stage(lambda a: [tnp.choose(a, [1, 2])], ArrayType((), np.dtype(np.int32)))
