"""Time every public function against JAX's, and write the table of `docs/benchmarks-functions.md`.

    python benchmarks/functions_page.py --check                              names that nothing times are an error
    python benchmarks/functions_page.py --jax-python PYTHON                  measure what the page lacks
    python benchmarks/functions_page.py --jax-python PYTHON --again REGEX    and once more the cases that this matches
    python benchmarks/functions_page.py --times T.json                       write what was measured elsewhere

Earlier figures are read from the page, which is rewritten after each case. With `--times` the figures of a file count
more than the page's, and new ones go to that file too: `{"numpy.max jit 1e+06": {"treadle": 6e-05, "jax": 6e-05}}`.

`tables.py` describes how times are taken. Reasons for the slowest are written by hand, in `functions_reasons.txt`: a
line with the case, a colon, and a sentence.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

from cases.base import Case
from cases.functions import CASES, FEW, MANY, SOME, missing
from run import amount, machine
from tables import Times, failures, figures, least, one_core, parser, seconds, titled, write

EXPLAINED: Final = 10
REASONS: Final = Path(__file__).parent / "functions_reasons.txt"
PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmarks-functions.md"
PARTS: Final = {
    "eager 10": "without jit, 10 elements",
    "eager": "without jit, a million elements",
    "jit": "with jit, a million elements",
}
_SOME: Final = f" ({SOME:,})"  # behind the names of functions whose larger size is this
ROW: Final = re.compile(r"\| (\S+)( \(.+\))? \| ([\d.]+ \S+) \| ([\d.]+ \S+) \| .+ \|")


def part(name: str) -> str:
    """The table that a case belongs to."""
    manner = name.split(" ", 1)[1]
    return manner if manner in PARTS else manner.split()[0]


def ratio(times: dict[str, Any]) -> float:
    """Our time over JAX's."""
    return float(times["treadle"] / times["jax"])


def summary(rows: Times) -> str:
    """Summarise rows: how many, how fast on average, how many slower."""
    ratios = [ratio(each) for each in rows.values()]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    slower = sum(each > 1.05 for each in ratios)
    half = sum(each <= 0.5 for each in ratios)
    return f"{len(ratios)} | {mean:.2f} | {half} | {slower} | {sum(x > 2 for x in ratios)}"


def reasons() -> dict[str, str]:
    """The sentences about slow cases."""
    lines = REASONS.read_text(encoding="utf-8").splitlines()
    return {name: sentence for name, _, sentence in [line.partition(": ") for line in lines]}


def page(times: Times, where: str) -> str:
    """The page."""
    good = {name: each for name, each in times.items() if "error" not in each}
    text = [
        "# Benchmarks of every public function",
        "",
        "Written by `benchmarks/functions_page.py`; see its first lines for how to measure again, and",
        "[benchmarks](benchmarks.md) for programs, tracing and dispatch. Each time is the least CPU time of several",
        "rounds, the libraries in turns; below a ratio of 1 treadle is faster than jax on the same jaxlib.",
        f"Machine of the rows measured last: {where}, in use by others at the time. Other rows",
        "may be of other machines; the times of a row are always of one.",
        "",
        "| | functions | geometric mean of treadle/jax | twice as fast | slower by over 5 % | by over 2 x |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    left = len(CASES) - len(times)
    if left:
        text.insert(7, f"Of {len(CASES)} cases {left} have not been measured yet.")
    by_part = {key: {n: t for n, t in good.items() if part(n) == key} for key in PARTS}
    text += [f"| {PARTS[key]} | {summary(rows)} |" for key, rows in by_part.items() if rows]
    text += ["", f"## The {EXPLAINED} slowest against jax", ""]
    explained = reasons()
    worst = sorted(good, key=lambda name: -ratio(good[name]))[:EXPLAINED]
    for name in worst:
        sentence = explained.get(name, "No reason has been found yet.")
        text.append(f"- `{name}` ({ratio(good[name]):.2f}): {sentence}")
    text += failures(times)
    for key, rows in by_part.items():
        text += ["", titled(PARTS[key]), ""]
        text += ["| function | treadle | jax | treadle/jax |", "|---|---:|---:|---:|"]
        for name in sorted(rows, key=lambda name: -ratio(rows[name])):
            each = rows[name]
            function = name.split()[0] + (_SOME if name.endswith(f" {SOME}") else "")
            ours, theirs = (amount(each[library], "s") for library in ("treadle", "jax"))
            text.append(f"| {function} | {ours} | {theirs} | {ratio(each):.2f} |")
    return "\n".join(text) + "\n"


def read(part: str, line: str) -> tuple[str, dict[str, Any]] | None:
    """The case of a row of a part's table, and its times."""
    if (row := ROW.fullmatch(line)) is None:
        return None
    size = FEW if part.endswith(f" {FEW}") else SOME if row[2] else MANY
    times = {"treadle": seconds(row[3]), "jax": seconds(row[4])}
    return f"{row[1]} {part.split(maxsplit=1)[0]} {size:g}", times


def main() -> int:
    """Measure, write or check; 1 where a name is neither timed nor excused."""
    arguments = parser("every public function, treadle against jax", PAGE)
    arguments.add_argument(
        "--check", action="store_true", help="only look for names without a call"
    )
    options = arguments.parse_args()
    if options.check:
        lacking = missing()
        print("\n".join(lacking) or "every public function has a call, or a reason for none")
        return 1 if lacking else 0

    @contextmanager
    def measuring() -> Iterator[Callable[[Case], dict[str, Any]]]:
        with one_core(options, "functions") as found:
            yield lambda case: least("functions", case, found, ("treadle", "jax"))

    where = machine()
    write(
        options,
        CASES,
        lambda text: figures(text, PARTS, read),
        lambda times: page(times, where),
        measuring,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
