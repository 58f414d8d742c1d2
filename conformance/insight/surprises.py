"""A surprise: a program that has a finding, and the same program after the fix, which does not have it."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import final

from conformance.insight.programs import only, report_of
from treadle_insight import Finding

_HEAD = """\
import numpy as np

import treadle
import treadle.numpy as jnp
from treadle import lax, nn
"""
_JAX_HEAD = """\
import numpy as np

import jax
import jax.numpy as jnp
import treadle
from jax import lax, nn
"""


@final
@dataclass(frozen=True)
class Surprise:
    """A program with a finding.

    Attributes:
        name: for the test's name.
        kind: the kind of the finding.
        lines: the program, without its imports. The line of the finding ends in `# here`.
        call: the expression that is the report.
        words: what the finding's sentence says.
        fixed: pairs of texts that mend the program; empty if there is nothing to mend it with.
    """

    name: str
    kind: str
    lines: str
    call: str
    words: tuple[str, ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()

    def program(self, head: str = _HEAD) -> str:
        """Return the program."""
        return f"{head}\n{self.lines}\nreport = {self.call}\n"

    def mended(self) -> str:
        """Return the program after the fix."""
        text = self.program()
        for old, new in self.fixed:
            assert old in text, old
            text = text.replace(old, new)
        return text

    def check(self, finding: Finding, text: str) -> None:
        """Check the sentence and the line of a finding in a program."""
        said = f"{finding.what} {' '.join(finding.why)}"
        for word in self.words:
            assert word in said, f"{word!r} is not in: {said}"
        marked = [n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]
        assert finding.place is not None
        assert finding.place.line in marked, f"line {finding.place.line}:\n{finding}"
        assert len(str(finding).splitlines()) <= 10


def has_finding(surprise: Surprise, folder: Path) -> None:
    """Check that the program has the finding, and no other finding of its topic."""
    text = surprise.program()
    finding = only(report_of(text, folder), surprise.kind)
    surprise.check(finding, text)


def mended(surprise: Surprise, folder: Path) -> None:
    """Check that the mended program does not have the finding, nor another one of its topic."""
    report = report_of(surprise.mended(), folder)
    assert not report.findings(surprise.kind.partition(".")[0]), report


def in_a_thread(surprise: Surprise, folder: Path) -> None:
    """Check that a thread has the finding, too."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(has_finding, surprise, folder).result()


def under_jax(surprises: tuple[Surprise, ...], folder: Path) -> None:
    """Check that programs which `import jax` have the same findings, in one process with the import hook."""
    paths = []
    for surprise in surprises:
        path = folder / f"{surprise.name}.py"
        path.write_text(surprise.program(_JAX_HEAD).replace("treadle.grad", "jax.grad"))
        paths.append(str(path))
    script = folder / "all.py"
    script.write_text(
        f"import json, runpy\nreports = [runpy.run_path(path)['report'] for path in {paths!r}]\n"
        "print(json.dumps([[[x.kind, x.what, x.place.line] for x in r.findings()] for r in reports]))\n"
    )
    command = [sys.executable, "-m", "treadle_jax", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    for surprise, found in zip(surprises, json.loads(done.stdout.splitlines()[-1]), strict=True):
        lines = surprise.program(_JAX_HEAD).splitlines()
        marked = [n for n, line in enumerate(lines, 1) if line.endswith("# here")]
        kinds = [(kind, line) for kind, _, line in found]
        assert any(kind == surprise.kind and line in marked for kind, line in kinds), (
            f"{surprise.name}: {found}"
        )
