"""Names of modes for positions out of range, and promises about positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, stage, type_of
from treadle_ir.primitives.indexing import Gather
from treadle_numpy.arrays.at import UpdatesAt
from treadle_numpy.lax import GatherScatterMode
from treadle_numpy.numpy import take


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


def promises(function: Callable[..., object], *operands: Any) -> tuple[str, bool, bool]:
    """Mode and promises of the one gather that a function makes."""
    program = stage(lambda *xs: [function(*xs)], *map(type_of, operands)).program
    (found,) = [each.primitive for each in program.equations if isinstance(each.primitive, Gather)]
    return found.mode, found.indices_are_sorted, found.unique_indices


def test_promises_reach_the_gather() -> None:
    x, places = np.ones(4), np.array([0, 2], np.int32)
    both: Any = {"indices_are_sorted": True, "unique_indices": True}
    assert promises(lambda x, i: UpdatesAt(x, i).get(**both), x, places) == ("clip", True, True)
    assert promises(lambda x, i: UpdatesAt(x, i).get(), x, places) == ("clip", False, False)
    assert promises(lambda x, i: take(x, i, **both), x, places) == ("fill", True, True)
    # Remainders need be neither sorted nor distinct.
    wrapping = promises(lambda x, i: take(x, i, mode="wrap", **both), x, places)
    assert wrapping == ("clip", False, False)
