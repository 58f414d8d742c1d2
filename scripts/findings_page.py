"""The page of all kinds of findings: docs/findings.md.

scripts/findings_page.py --write docs/findings.md    write the page, from the kinds and from what their programs give
scripts/findings_page.py --check docs/findings.md    fail if the page is out of date

The wrong and the right program of each kind are run. Durations and drawn numbers differ from run to run: `--check`
leaves them out of the comparison, with the percentages of paragraphs that have a duration.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MOST = 2  # findings of one kind that are shown

HEAD = """# Findings

Written by `scripts/findings_page.py` from the kinds of findings, which runs the programs; `nox -s docs` compares.

`treadle.explain(f)(*args)` looks at one function, `treadle.watch()` at a running program, `python -m treadle doctor` at
the installation. Each gives findings: a kind, a sentence with your names, places in your source, the evidence, and the
fix. `report.findings("recompile.shape")` returns the findings of a kind, `report.findings("recompile")` the findings of
all kinds that begin with this word; `treadle.findings` lists all kinds.

A finding is proved unless it is marked as suspected. The most costly comes first.

"""


def anchor(heading: str) -> str:
    """Return the name by which a page's heading is linked to."""
    kept = "".join([each for each in heading.lower() if each.isalnum() or each in " -_"])
    return kept.replace(" ", "-")


def fence(language: str, text: str) -> str:
    """Return text between fences."""
    return f"```{language}\n{text.strip()}\n```\n"


def said_of(code: str, program: str, *, wrong: bool) -> str:
    """Run a program, and return its findings of a kind as text; only a wrong program may have them, and has to."""
    programs = importlib.import_module("conformance.insight.programs")
    importlib.import_module("treadle").clear_caches()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        report = programs.report_of(program, Path(folder))
        found = report.findings(code)
        if bool(found) != wrong:
            state = "does not have" if wrong else "has"
            raise SystemExit(
                f"the {'wrong' if wrong else 'right'} program {state} {code}:\n{report}"
            )
        # By their lines: costs are measured, and so their order varies.
        ordered = sorted(found, key=lambda each: (each.place.line if each.place else 0, each.what))
        return "\n\n".join([str(each) for each in ordered[:MOST]])


def described(code: str, kind: Any) -> Iterator[str]:
    """Yield the parts of the section of a kind."""
    examples = importlib.import_module("treadle_insight.doctor.examples").EXAMPLES
    doctor = importlib.import_module("treadle_insight.doctor")
    yield f"## `{code}`\n\n{kind.summary}\n"
    if kind.topic:
        yield f"The question: [{kind.topic}](faq.md#{anchor(kind.topic)})\n"
    if kind.wrong:
        yield fence("python", kind.wrong)
        yield f"treadle says:\n\n{fence('text', said_of(code, kind.wrong, wrong=True))}"
        said_of(code, kind.right, wrong=False)
        yield f"Without the finding:\n\n{fence('python', kind.right)}"
    elif code in examples:
        found = doctor.examined(examples[code]).findings(code)
        yield f"On such a machine, treadle says:\n\n{fence('text', str(found[0]))}"


def page() -> str:
    """Return the page."""
    sys.path.insert(0, str(ROOT))
    findings = importlib.import_module("treadle_insight").findings
    parts = [HEAD]
    topics = list(dict.fromkeys([code.partition(".")[0] for code in findings]))
    for topic in topics:
        codes = [code for code in findings if code.partition(".")[0] == topic]
        links = [f"[`{code}`](#{anchor(code)})" for code in codes]
        parts.append(f"* {', '.join(links)}\n")
    parts += ["\n" + "\n".join(described(code, findings[code])) for code in findings]
    return "".join(parts)


def compared(text: str) -> list[str]:
    """Return the paragraphs of a page without what differs from run to run, and without breaks of lines: the lengths of
    durations decide where lines end.
    """
    return [timeless(" ".join(paragraph.split())) for paragraph in text.split("\n\n")]


def timeless(paragraph: str) -> str:
    """Return a paragraph without durations and drawn numbers; without percentages, too, if it has a duration."""
    paragraph = re.sub(DRAWN, "every call uses #", paragraph)
    found = re.sub(DURATION, "# s", paragraph)
    return found if found == paragraph else re.sub(r"\d+(?:\.\d+)? ?%", "# %", found)


DRAWN = r"every call uses \d[\d.]*(?:e[+-]?\d+)?"  # a random number, or the time
DURATION = r"\b\d[\d.,]*(?:e[+-]?\d+)? (?:s|ms|us)\b"


def main() -> int:
    """Write or compare."""
    for variable in [name for name in os.environ if name.startswith(("TREADLE_", "JAX_"))]:
        del os.environ[variable]
    os.environ |= {
        "TREADLE_PLATFORMS": "cpu",
        "TREADLE_NUM_CPU_DEVICES": "4",
        "TREADLE_CACHE": "0",
    }
    _, action, file = sys.argv
    path = Path(file)
    text = page()
    if action == "--write":
        path.write_text(text, encoding="utf-8")
    elif compared(path.read_text(encoding="utf-8")) != compared(text):
        print(f"{file} is out of date: python scripts/findings_page.py --write {file}")
        return 1
    print(f"{file}: as the kinds are")
    return 0


if __name__ == "__main__":
    sys.exit(main())
