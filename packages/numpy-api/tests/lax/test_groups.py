from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_ir.settings import named_axis
from treadle_numpy.lax.groups import as_groups


def test_groups_are_tuples_of_numbers() -> None:
    with named_axis("i", 4), named_axis("j", 2):
        assert as_groups("psum", None, "i") is None
        assert as_groups("psum", np.array([[0, 2], [3, 1]]), "i") == ((0, 2), (3, 1))
        assert as_groups("psum", [[0], [3, 1, 2]], "i", unequal=True) == ((0,), (3, 1, 2))
        assert as_groups("psum", [range(4), range(4, 8)], ("i", "j")) == (
            (0, 1, 2, 3),
            (4, 5, 6, 7),
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0, 1], [2]], "exactly once, those below 4"),
        ([[0, 1], [1, 2]], "exactly once"),
        ([[0, 1], [2, -1]], "exactly once"),
        ([], "exactly once"),
        ([[0, 1, 2, 3], []], "sizes"),
        ([[0], [1, 2, 3]], "sizes"),
        (3, "must be a sequence"),
        ("ab", "must be a sequence"),
        ([0, 1, 2, 3], "must be a sequence"),
        ([[0.0, 1.0], [2.0, 3.0]], "must be an integer"),
    ],
)
def test_other_values_are_refused(given: Any, message: str) -> None:
    with named_axis("i", 4), pytest.raises(ArgumentError, match=message):
        as_groups("psum", given, "i")


def test_the_axis_has_to_be_mapped() -> None:
    with pytest.raises(NameError, match="unbound axis name: 'k'"):
        as_groups("psum", None, "k")
