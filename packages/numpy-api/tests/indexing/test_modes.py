"""Names of modes for positions out of range."""

from __future__ import annotations

from typing import Any

import pytest

from treadle_ir import ArgumentError
from treadle_numpy.lax import GatherScatterMode


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, GatherScatterMode.FILL_OR_DROP),
        ("fill", GatherScatterMode.FILL_OR_DROP),
        ("drop", GatherScatterMode.FILL_OR_DROP),
        ("clip", GatherScatterMode.CLIP),
        ("promise_in_bounds", GatherScatterMode.PROMISE_IN_BOUNDS),
        (GatherScatterMode.CLIP, GatherScatterMode.CLIP),
    ],
)
def test_names_of_modes(given: Any, expected: GatherScatterMode) -> None:
    assert GatherScatterMode.from_any(given) is expected


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ArgumentError, match="there is no mode 'wrap around'"):
        GatherScatterMode.from_any("wrap around")
