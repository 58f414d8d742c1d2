from __future__ import annotations

import pytest

from treadle.errors import ArgumentError, TreadleError
from treadle.experimental import ode


def test_zip_and_map_pair_what_python_s_pair() -> None:
    assert ode.zip([1, 2], (3, 4)) == list(zip([1, 2], (3, 4), strict=True))
    assert ode.zip([]) == []
    assert ode.map(pow, [2, 3], [5, 2]) == [32, 9]


@pytest.mark.parametrize("lists", [([1], [2, 3]), ([1, 2], [3]), ([1], [2], [])])
def test_different_lengths_are_refused(lists: tuple[list[int], ...]) -> None:
    with pytest.raises(ArgumentError, match="lengths"):
        ode.zip(*lists)
    with pytest.raises(ArgumentError, match="lengths"):
        ode.map(max, *lists)


def test_nothing_and_what_is_no_sequence_are_refused() -> None:
    with pytest.raises(ArgumentError, match="no argument"):
        ode.zip()
    with pytest.raises(TreadleError, match="argument 2"):
        ode.zip([1], 3)  # type: ignore[arg-type]
