"""Time every public function beside JAX's, and write the table of `docs/benchmarks-functions.md`.

    python benchmarks/functions_page.py --check                              names that nothing times are an error
    python benchmarks/functions_page.py --jax-python PYTHON --times T.json   measure what T.json lacks
    python benchmarks/functions_page.py --again REGEX ... --times T.json     measure these once more
    python benchmarks/functions_page.py --times T.json --write PAGE.md       write the page

The libraries run in processes of their own, in turns of a few milliseconds, and the least CPU time of each counts:
what else the machine does lengthens a round, and never shortens it. Reasons for the slowest are written by hand, in
`functions_reasons.txt`: a line with the case, a colon, and a sentence.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

from cases.base import Case
from cases.functions import CASES, missing
from run import Library, agree, amount, libraries, machine

ROUNDS: Final = 3
EXPLAINED: Final = 10
REASONS: Final = Path(__file__).parent / "functions_reasons.txt"
PARTS: Final = {
    "eager 10": "without jit, 10 elements",
    "eager": "without jit, a million elements",
    "jit": "with jit, a million elements",
}
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
        "[benchmarks](benchmarks.md) for programs, tracing and dispatch. Each time is the least CPU time of two",
        "rounds or more, the libraries in turns; below a ratio of 1 treadle is faster than jax on the same jaxlib.",
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
        text += ["", f"## {PARTS[key][0].upper()}{PARTS[key][1:]}", ""]
        text += ["| function | treadle | jax | treadle/jax |", "|---|---:|---:|---:|"]
        for name in sorted(rows, key=lambda name: -ratio(rows[name])):
            each = rows[name]
            function = name.split()[0] + (" (10,000)" if name.endswith(" 10000") else "")
            ours, theirs = (amount(each[library], "s") for library in ("treadle", "jax"))
            text.append(f"| {function} | {ours} | {theirs} | {ratio(each):.2f} |")
    return "\n".join(text) + "\n"


def shown(error: str) -> str:
    """An error's beginning, which no Markdown interprets."""
    return "`" + error.replace("`", "'")[:140] + "`"


def main() -> int:
    """Measure, write or check; 1 where a name is neither timed nor excused."""
    parser = argparse.ArgumentParser(description="every public function, treadle beside jax")
    parser.add_argument("--check", action="store_true", help="only look for names that lack a call")
    parser.add_argument("--times", type=Path, help="the file of times, which is added to")
    parser.add_argument("--again", help="measure the cases that this matches once more")
    parser.add_argument("--only", default="", help="measure the cases that this matches alone")
    parser.add_argument("--write", type=Path, help="write the page")
    parser.add_argument("--jax-python", default=sys.executable, help="an interpreter that has jax")
    parser.add_argument("--round", type=float, default=0.006, help="seconds of a round")
    options = parser.parse_args()
    if options.check:
        lacking = missing()
        print("\n".join(lacking) or "every public function has a call, or a reason for none")
        return 1 if lacking else 0
    times: Times = {}
    if options.times.exists():
        times = json.loads(options.times.read_text())
    if not options.write:
        with (
            tempfile.TemporaryDirectory() as bytecode,
            libraries(options, bytecode, "functions") as found,
        ):
            for case in CASES:
                again = options.again and re.search(options.again, case.name)
                if (case.name in times and not again) or not re.search(options.only, case.name):
                    continue
                times[case.name] = measured(case, found)
                print(case.name, times[case.name], flush=True)
                options.times.write_text(json.dumps(times))
        return 0
    known = {case.name for case in CASES}
    times = {name: each for name, each in times.items() if name in known}
    options.write.write_text(page(times, machine()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
