"""`compress` and `extract` take what NumPy's do, and nothing from beyond the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError
from treadle_numpy.numpy import compress, extract

BOOLEANS = st.lists(st.booleans(), max_size=7)


def result_or_refusal(function: Any, *arguments: Any) -> Any:
    try:
        return np.asarray(function(*arguments)).tolist()
    except (ArgumentError, IndexError):
        return "refused"


@given(BOOLEANS, st.integers(0, 5))
@settings(deadline=None)
def test_numpys_functions_give_or_refuse_the_same(booleans: list[bool], size: int) -> None:
    mask, x = np.array(booleans, bool), np.arange(size, dtype=np.int32)
    for ours, theirs in [(compress, np.compress), (extract, np.extract)]:
        assert result_or_refusal(ours, mask, x) == result_or_refusal(theirs, mask, x)


def test_the_place_is_named() -> None:
    with pytest.raises(
        ArgumentError, match="extract: the condition holds at place 3, but there are 2"
    ):
        extract(np.array([True, False, False, True]), np.arange(2))
