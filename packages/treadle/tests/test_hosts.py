from __future__ import annotations

import pytest

import treadle


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("host_count", "process_count"),
        ("host_id", "process_index"),
        ("host_ids", "process_indices"),
    ],
)
def test_former_names(name: str, new: str) -> None:
    with pytest.warns(UserWarning, match=f"now called treadle.{new}"):
        assert getattr(treadle, name)() == getattr(treadle, new)()
