"""What the conformance suite covers: laws by operation and element type, rows of the FAQ, mistakes.

scripts/law_counts.py --write docs/laws.md                collect the suite, count, and write the page
scripts/law_counts.py --check docs/laws.md                fail if the page is out of date
scripts/law_counts.py --check docs/laws.md counts.json    the same with the counts of a run (conformance/counting.py)

Nothing is run: that all of it passes is what `nox -s conformance` says.
"""

import importlib
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DTYPES = [
    *("bool", "i4", "i8", "i16", "i32", "i64", "u4", "u8", "u16", "u32", "u64"),
    *("f8e4m3fn", "f8e5m2", "bf16", "f16", "f32", "f64", "c64", "c128", "drawn"),
]
# The laws that are tried on every operation, by their files.
TABLES = ("types", "reference", "lowering", "jvp", "transpose", "batching", "text")


Laws = dict[str, dict[str, Any]]  # counts by file and function


def collected() -> Laws:
    """Collect the suite and count its laws."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counts.json"
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
        command += ["-p", "conformance.counting", f"--law-counts={path}"]
        command += ["-m", "not timing", "conformance"]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"the suite cannot be collected:\n{result.stdout[-3000:]}")
        return loaded(path)


def loaded(path: Path) -> Laws:
    """Read the counts that a run of the suite has written to `path`."""
    laws: Laws = json.loads(path.read_text())
    return laws


def title(function: str) -> str:
    """Return a law's name in words."""
    return function.removeprefix("test_").replace("_", " ")


def number(count: int) -> str:
    """Return a count with its thousands apart; nothing where there is none."""
    return f"{count:,}" if count else ""


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return a Markdown table; columns of numbers are aligned at the right."""
    numbers = [all(re.fullmatch(r"[\d,]*", row[i]) for row in rows) for i in range(len(head))]
    rule = "".join("---:|" if each else "---|" for each in numbers)
    return [f"| {' | '.join(head)} |", f"|{rule}", *(f"| {' | '.join(row)} |" for row in rows)]


def by(laws: Laws, what: str) -> dict[str, Counter[str]]:
    """Cases by operation or element type, then by the file of the law."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for name, law in laws.items():
        file = name.partition("::")[0].removeprefix("test_").removesuffix(".py")
        if file in TABLES:
            for each, count in law[what].items():
                found[each][file] += count
    return found


def matrix(first: str, counts: dict[str, Counter[str]], order: list[str]) -> list[str]:
    """Return a table with a row for each operation or element type, and a column for each file of laws."""
    rows = [
        [
            f"`{each}`",
            *(number(counts[each][file]) for file in TABLES),
            number(counts[each].total()),
        ]
        for each in order
    ]
    return table([first, *TABLES, "all"], rows)


def page(laws: Laws) -> str:
    """Write the page of these counts."""
    sys.path.insert(0, str(ROOT))
    rows = importlib.import_module("conformance.faq.rows")
    catalogue = importlib.import_module("conformance.mistakes.catalogue")
    mutants = importlib.import_module("conformance.mutants.report")
    files: dict[str, list[str]] = defaultdict(list)
    for name in laws:
        files[name.partition("::")[0]].append(name)
    total = sum(law["cases"] for law in laws.values())
    lines = [
        "# What the conformance suite covers",
        "",
        "Written by `scripts/law_counts.py`, which collects the suite; `nox -s conformance` runs it. A case",
        "is a law on one example: one operation with its attributes, on operands of some types. In *every",
        "element type*, each operation is tried on every type that its typing rule accepts, with arrays",
        "without elements and of rank 0 among the shapes; on *anything*, hypothesis changes attributes, shapes,",
        "types and values (`drawn` below; `nox -s conformance-long` draws twenty times as many).",
        "[What the laws found](laws-found.md) is on a page of its own.",
        "",
        f"{number(sum(law['tests'] for law in laws.values()))} tests, {number(total)} cases.",
        "",
        "## Laws of every operation",
        "",
    ]
    listed = []
    for file in sorted(files):
        for name in files[file]:
            law = laws[name]
            if not law["operations"]:
                continue
            listed.append(
                [
                    f"`{file}` {title(name.partition('::')[2])}",
                    number(law["cases"]),
                    number(len(law["operations"])),
                    number(len(set(law["dtypes"]) - {"drawn"})),
                ]
            )
    lines += table(["law", "cases", "operations", "element types"], listed)
    lines += ["", "## Other laws", ""]
    others = []
    for file in sorted(files):
        rest = [laws[name] for name in files[file] if not laws[name]["operations"]]
        if rest and not file.startswith(("faq/", "mistakes/")):  # which have tables of their own
            cases = sum(law["cases"] for law in rest)
            others.append([f"`{file}` {rest[0]['about'].rstrip('.')}", number(cases)])
    lines += table(["file", "tests"], others)
    lines += ["", "## By element type", ""]
    types = by(laws, "dtypes")
    lines += matrix("element type", types, [each for each in DTYPES if each in types])
    lines += ["", "## By operation", ""]
    operations = by(laws, "operations")
    lines += matrix("operation", operations, sorted(operations))
    lines += ["", "## Rows of the FAQ", ""]
    lines += [
        "Each row has a test (`conformance/faq/test_coverage.py`); ten are about accelerators.",
        "",
    ]
    topics = [[topic, str(count)] for topic, count in rows.TOPICS.items()]
    topics.append(["all", str(len(rows.ROWS))])
    lines += table(["topic", "rows"], topics)
    lines += ["", "## Users' mistakes", ""]
    lines += [
        f"{len(catalogue.MISTAKES)} mistakes in `conformance/mistakes/catalogue.py`, each with the error's",
        "class, its first line, the user's own line and the fix, which users see with it.",
        "",
    ]
    mistakes = [
        [
            each.make.__name__.strip("_").replace("_", " "),
            each.error.__name__,
            _cell(each.first_line),
        ]
        for each in catalogue.MISTAKES
    ]
    lines += table(["mistake", "error", "first line"], sorted(mistakes))
    lines += mutants.page()
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Return a message as a table's cell."""
    return "`" + text.replace("|", "\\|").replace("`", "'") + "`"


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    match arguments:
        case ["--write", path]:
            Path(path).write_text(page(collected()))
            return 0
        case ["--check", path, *counts]:
            laws = loaded(Path(counts[0])) if counts else collected()
            if Path(path).exists() and Path(path).read_text() == page(laws):
                return 0
            print(f"{path} is out of date: scripts/law_counts.py --write {path}")
            return 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
