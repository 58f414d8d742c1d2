"""A program of several processes: each process has a report of its own, which names it."""

from __future__ import annotations

import pytest

from conformance.distributed.starting import run


@pytest.mark.installed
def test_each_process_reports_and_is_named() -> None:
    ended = run("watched.py", count=2, seconds=120)
    for number, each in enumerate(ended):
        assert each.code == 0, each.output
        assert f"the watched program, process {number} of 2: 1 finding" in each.output
        assert "recompile.shape: <lambda> was compiled for 4 sizes" in each.output
