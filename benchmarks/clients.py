"""JAX's libraries on treadle, under the hook, and on JAX: one process each, in turns, in CPU time.

    python benchmarks/clients.py                    every case, a table on the screen
    python benchmarks/clients.py --case diffrax     cases whose name contains this
    python benchmarks/clients.py --rounds 3         fewer rounds
    python benchmarks/clients.py --out table.md     the table also as markdown

Needs the libraries, treadle-jax and jax here: `nox -s bench-clients` installs them. Each number is the median of
several rounds, each in a fresh process that finds nothing on disk; results are compared before a number counts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from run import agree, amount, machine

CASES: Final = Path(__file__).with_name("client_cases.py")
WAYS: Final[dict[str, list[str]]] = {"treadle": ["-m", "treadle_jax"], "jax": []}
ENVIRONMENT: Final = {
    "PYTHONDONTWRITEBYTECODE": "",  # byte code is kept, as it is where pip has installed a library
    "TREADLE_CACHE": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "TREADLE_PLATFORMS": "cpu",
}
WIDTHS: Final = (30, 14, 9, 9, 5)
HEAD: Final = ("", "stage", "treadle", "jax", "treadle/jax")


def names() -> list[str]:
    """The cases, read from their file without importing jax here."""
    code = CASES.read_text().partition("CASES = {")[2].partition("}")[0]
    return [line.split('"')[1] for line in code.splitlines() if '"' in line]


def measure(way: str, name: str, bytecode: str) -> dict[str, Any]:
    """One round."""
    command = [sys.executable, *WAYS[way], str(CASES), name]
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPYCACHEPREFIX": bytecode}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{name}, {way}: {done.stderr.strip()[-1000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def rows_of(name: str, rounds: int, bytecode: str) -> list[tuple[str, str, str, str, str]]:
    """The lines of a case: a stage each, and trace to compile together."""
    samples: dict[str, dict[str, list[float]]] = {way: {} for way in WAYS}
    digests: dict[str, list[Any]] = {}
    for number in range(rounds + 1):
        for way in WAYS:
            answer = measure(way, name, bytecode)
            scale = max(map(abs, answer["digest"]), default=1.0)
            digests[way] = [[[], *answer["digest"], 0.0, scale]]
            if number:  # the first fills the system's file cache, and keeps byte code
                for stage, seconds in answer["seconds"].items():
                    samples[way].setdefault(stage, []).append(seconds)
    if not agree(digests["treadle"], digests["jax"]):
        raise SystemExit(f"{name}: results differ: {digests}")
    rows = []
    for stage in samples["jax"]:
        ours, theirs = (statistics.median(samples[way][stage]) for way in WAYS)
        rows.append((name, stage, amount(ours, "s"), amount(theirs, "s"), f"{ours / theirs:.2f}"))
    return rows


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="JAX's libraries on treadle and on JAX")
    parser.add_argument("--case", default="", help="only cases whose name contains this")
    parser.add_argument(
        "--rounds", type=int, default=5, help="after the first, which is not counted"
    )
    parser.add_argument("--out", type=Path, help="write the table as markdown")
    options = parser.parse_args()
    print(f"{machine()}; CPU time, medians of {options.rounds} rounds in turn\n", flush=True)
    lines = []
    with tempfile.TemporaryDirectory() as bytecode:
        for name in names():
            if options.case not in name:
                continue
            for row in rows_of(name, options.rounds, bytecode):
                cells = [cell.ljust(width) for cell, width in zip(row, WIDTHS, strict=True)]
                print("  ".join(cells), flush=True)
                lines.append("| " + " | ".join(row) + " |")
    if options.out is not None:
        text = ["| " + " | ".join(HEAD) + " |", "|---|---|---:|---:|---:|", *lines]
        options.out.write_text("\n".join(text) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
