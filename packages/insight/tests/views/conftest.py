"""A report with all that a report can have, for the tests of its views."""

from __future__ import annotations

import linecache
from pathlib import Path

import pytest

from treadle_insight import Cost, Finding, Place, Report, Table

SOURCE = "scale = 10\n\ndef f(x):\n    return x * scale < 3 and x\n"


@pytest.fixture
def report(tmp_path: Path) -> Report:
    """A report on `a b.py` in the test's folder: a proved finding with two places, a suspected one, a table."""
    path = tmp_path / "a b.py"
    path.write_text(SOURCE)
    linecache.checkcache(str(path))
    captured = Finding(
        "capture.large",
        "f captured `scale` <f32[]>.",
        (Place(str(path), 4, 12, "f", 4, 21), Place(str(path), 1)),
        ("It is read 1 < 2 times.",),
        "Pass it as an argument.",
        "f(x, scale)",
        Cost(1.5, 9_000_000),
    )
    early = Finding(
        "clock.early", "The clock was read early.", (Place("<stdin>", 1),), certain=False
    )
    table = Table("costs", ("line", "flop"), (("a & b", "4"),))
    return Report("f, 2 operations", [early, captured], [table])
