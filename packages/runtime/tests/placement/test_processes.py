"""There is one process."""

from __future__ import annotations

import pytest

from treadle_ir import ArgumentError
from treadle_runtime import PlatformError, process_count, process_index


def test_there_is_one() -> None:
    assert (process_index(), process_count()) == (0, 1)
    assert (process_index("cpu"), process_count("cpu")) == (0, 1)


def test_what_is_no_platform() -> None:
    with pytest.raises(PlatformError):
        process_count("abacus")
    with pytest.raises(ArgumentError):
        process_index(3)  # type: ignore[arg-type]
