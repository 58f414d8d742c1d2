"""Programs that use treadle by the name of JAX, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_SHOWN = """
import json as _json
_report = report if hasattr(report, "tables") else report.report()
print(_json.dumps([[x.kind, x.what, x.place.line if x.place else 0] for x in _report.findings()]))
"""


class Seen(NamedTuple):
    """A finding of another process."""

    kind: str
    what: str
    line: int


def findings_under_jax(text: str, folder: Path) -> list[Seen]:
    """Return the findings of a program, whose `treadle.numpy` and `treadle` become `jax.numpy` and `jax`.

    `explain` and `watch` stay treadle's: JAX has no such names.
    """
    lines = text.replace("treadle.explain", "EXPLAIN").replace("treadle.watch", "WATCH")
    lines = lines.replace("treadle", "jax").replace("EXPLAIN", "treadle.explain")
    path = folder / "under_jax.py"
    path.write_text("import treadle; " + lines.replace("WATCH", "treadle.watch") + _SHOWN)
    command = [sys.executable, "-m", "treadle_jax", str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return [Seen(*each) for each in json.loads(ran.stdout.splitlines()[-1])]
