"""Time every public function beside JAX's, and write the table of `docs/benchmarks-functions.md`.

    python benchmarks/functions_page.py --check                              names that nothing times are an error
    python benchmarks/functions_page.py --jax-python PYTHON                  measure what the page lacks
    python benchmarks/functions_page.py --jax-python PYTHON --again REGEX    and once more the cases that this matches
    python benchmarks/functions_page.py --times T.json                       write what was measured elsewhere

Earlier figures are read from the page, which is written anew after each case. With `--times` those of a file count
more than the page's, and new ones go to that file too: `{"numpy.max jit 1e+06": {"treadle": 6e-05, "jax": 6e-05}}`.

The libraries run in processes of their own, in turns of a few milliseconds, and the least CPU time of each counts:
what else the machine does lengthens a round, and never shortens it. They share one core, since the system counts the
time of threads on another one by its ticks, which are as long as a round. Reasons for the slowest are written by hand,
in `functions_reasons.txt`: a line with the case, a colon, and a sentence.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

from cases.base import Case
from cases.functions import CASES, FEW, MANY, SOME, missing
from run import Library, agree, amount, libraries, machine

ROUNDS: Final = 5
EXPLAINED: Final = 10
REASONS: Final = Path(__file__).parent / "functions_reasons.txt"
PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmarks-functions.md"
PARTS: Final = {
    "eager 10": "without jit, 10 elements",
    "eager": "without jit, a million elements",
    "jit": "with jit, a million elements",
}
_SOME: Final = f" ({SOME:,})"  # behind the names of functions whose larger size is this
SECONDS: Final = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}
ROW: Final = re.compile(r"\| (\S+)( \(.+\))? \| ([\d.]+ \S+) \| ([\d.]+ \S+) \| .+ \|")
Times = dict[str, dict[str, Any]]


def measured(case: Case, found: dict[str, Library]) -> dict[str, Any]:
    """The least time of each library, or what went wrong."""
    times: dict[str, float] = {}
    digests: dict[str, Any] = {}
    for _ in range(ROUNDS):
        for name in ("treadle", "jax"):
            answer = found[name].ask("functions", case)
            if "error" in answer:
                return {"error": f"{name}: {answer['error']}"}
            digests[name] = answer["digest"]
            times[name] = min(answer["seconds"][""], times.get(name, math.inf))
    if case.compared and not agree(digests["treadle"], digests["jax"]):
        return {"error": "the results differ"}
    return times


def part(name: str) -> str:
    """The table that a case belongs to."""
    manner = name.split(" ", 1)[1]
    return manner if manner in PARTS else manner.split()[0]


def ratio(times: dict[str, Any]) -> float:
    """Our time over JAX's."""
    return float(times["treadle"] / times["jax"])


def summary(rows: Times) -> str:
    """How many, how fast on the whole, how many slower."""
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
        f"Machine: {where}, in use by others at the time.",
        "",
        "| | functions | geometric mean of treadle/jax | twice as fast | slower by over 5 % | by over 2 x |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    left = len(CASES) - len(times)
    if left:
        text.insert(6, f"Of {len(CASES)} cases {left} have not been measured yet.")
    by_part = {key: {n: t for n, t in good.items() if part(n) == key} for key in PARTS}
    text += [f"| {PARTS[key]} | {summary(rows)} |" for key, rows in by_part.items() if rows]
    text += ["", f"## The {EXPLAINED} slowest beside jax", ""]
    known = reasons()
    worst = sorted(good, key=lambda name: -ratio(good[name]))[:EXPLAINED]
    for name in worst:
        sentence = known.get(name, "No reason has been found yet.")
        text.append(f"- `{name}` ({ratio(good[name]):.2f}): {sentence}")
    failed = {name: each["error"] for name, each in times.items() if "error" in each}
    if failed:
        text += ["", "## Not compared", ""]
        text += [f"- `{name}`: {shown(error)}" for name, error in sorted(failed.items())]
    for key, rows in by_part.items():
        text += ["", titled(PARTS[key]), ""]
        text += ["| function | treadle | jax | treadle/jax |", "|---|---:|---:|---:|"]
        for name in sorted(rows, key=lambda name: -ratio(rows[name])):
            each = rows[name]
            function = name.split()[0] + (_SOME if name.endswith(f" {SOME}") else "")
            ours, theirs = (amount(each[library], "s") for library in ("treadle", "jax"))
            text.append(f"| {function} | {ours} | {theirs} | {ratio(each):.2f} |")
    return "\n".join(text) + "\n"


def figures(text: str) -> Times:
    """The times and errors that a page has."""
    times: Times = {}
    manner = ""
    for line in text.splitlines():
        if line.startswith("## "):
            manner = next((key for key, title in PARTS.items() if titled(title) == line), "")
        elif error := re.fullmatch("- `([^`]+)`: `([^`]+)`", line):
            times[error[1]] = {"error": error[2]}
        elif manner and (row := ROW.fullmatch(line)):
            size = FEW if manner.endswith(f" {FEW}") else SOME if row[2] else MANY
            name = f"{row[1]} {manner.split()[0]} {size:g}"
            times[name] = {"treadle": seconds(row[3]), "jax": seconds(row[4])}
    return times


def seconds(shown: str) -> float:
    """The time that `12.3 µs` says."""
    number, unit = shown.split()
    return float(number) * SECONDS[unit]


def titled(title: str) -> str:
    """The line above a part."""
    return f"## {title[0].upper()}{title[1:]}"


def shown(error: str) -> str:
    """An error's beginning, which no Markdown interprets."""
    return "`" + error.replace("`", "'")[:140] + "`"


def main() -> int:
    """Measure, write or check; 1 where a name is neither timed nor excused."""
    parser = argparse.ArgumentParser(description="every public function, treadle beside jax")
    parser.add_argument("--check", action="store_true", help="only look for names that lack a call")
    parser.add_argument("--jax-python", help="an interpreter that has jax: measure")
    parser.add_argument("--again", help="measure the cases that this matches once more")
    parser.add_argument("--only", default="", help="measure the cases that this matches alone")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page of earlier figures")
    parser.add_argument("--times", type=Path, help="a file of figures that count more")
    parser.add_argument("--round", type=float, default=0.006, help="seconds of a round")
    options = parser.parse_args()
    if options.check:
        lacking = missing()
        print("\n".join(lacking) or "every public function has a call, or a reason for none")
        return 1 if lacking else 0
    apart: Times = {}
    if options.times and options.times.exists():
        apart = json.loads(options.times.read_text())
    earlier = figures(options.page.read_text(encoding="utf-8")) if options.page.exists() else {}
    earlier |= apart
    times = {case.name: earlier[case.name] for case in CASES if case.name in earlier}
    options.page.write_text(page(times, machine()), encoding="utf-8")
    if not options.jax_python:
        return 0
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with (
        tempfile.TemporaryDirectory() as bytecode,
        libraries(options, bytecode, "functions") as found,
    ):
        for case in CASES:
            again = options.again and re.search(options.again, case.name)
            if (case.name in times and not again) or not re.search(options.only, case.name):
                continue
            times[case.name] = apart[case.name] = measured(case, found)
            print(case.name, times[case.name], flush=True)
            options.page.write_text(page(times, machine()), encoding="utf-8")
            if options.times:
                options.times.write_text(json.dumps(apart))
    return 0


if __name__ == "__main__":
    sys.exit(main())
