"""Time linear algebra and Fourier transforms against JAX, SciPy and NumPy, for `docs/benchmarks-linear-algebra.md`.

    python benchmarks/sizes_page.py --jax-python PYTHON                  measure what the page lacks
    python benchmarks/sizes_page.py --jax-python PYTHON --again REGEX    and once more the cases that this matches
    python benchmarks/sizes_page.py --times T.json                       write what was measured elsewhere

The cases are in `cases/sizes.py`: `numpy.linalg.solve eager 100`, `numpy.linalg.solve jit 100 f64`. `tables.py`
describes how times are taken; earlier figures are read from the page, which is rewritten after each case.
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

from cases.base import ALL, Case
from cases.sizes import CASES, ROWS, X64
from run import amount, machine
from tables import Times, failures, figures, least, one_core, parser, seconds, titled, write

GOAL: Final = 1.05  # times the faster of the others
PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmarks-linear-algebra.md"
PARTS: Final = {
    "linalg eager": "linear algebra without jit",
    "linalg jit": "linear algebra with jit",
    "fft eager": "Fourier transforms without jit",
    "fft jit": "Fourier transforms with jit",
}
_ROW: Final = re.compile(r"\| (\S+)( \(f64\))? \| (\d+) \| (.+) \| (.+) \| (.+) \| .+ \|")


def part(name: str) -> str:
    """The table that a case belongs to."""
    function, manner, *_ = name.split()
    return f"{'fft' if '.fft.' in function else 'linalg'} {manner}"


def rows_of(name: str) -> int:
    """Return the number of rows, or elements of a vector, of a case."""
    return int(name.split()[2])


def ratio(times: dict[str, Any]) -> float:
    """Return our time over the time of the faster of the others."""
    return float(times["treadle"] / min(times["jax"], times["numpy"]))


def summary(rows: Times) -> str:
    """Summarise rows: how many, how fast on average, how many beyond the goal, and the worst."""
    ratios = [ratio(each) for each in rows.values()]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{len(ratios)} | {mean:.2f} | {sum(x > GOAL for x in ratios)} | {max(ratios):.2f}"


def page(times: Times, where: str) -> str:
    """The page."""
    good = {name: each for name, each in times.items() if "error" not in each}
    text = [
        "# Benchmarks of linear algebra and Fourier transforms",
        "",
        "Written by `benchmarks/sizes_page.py`; see its first lines for how to measure again. Square matrices of 10,",
        "100 and 1000 rows in single precision, or in double where marked f64, and vectors of as many elements. Each",
        "time is the least CPU time of several rounds, of all threads, on one core, the libraries in turns. It is",
        "compared with jax on the same jaxlib, and with the function of that name in SciPy or NumPy,",
        f"for the transforms in `scipy.fft`; the ratio is to the faster of the two, and the goal is {GOAL}.",
        f"Machine of the rows measured last: {where}, in use by others at the time. Other rows",
        "may be of other machines; the times of a row are always of one.",
        "",
        "With jit nearly all of the time of ten rows is the start of a compiled program, in both libraries, which",
        "NumPy and SciPy do not have to start; without jit a microsecond and a half of `matmul`, and two of `det`, are",
        "Python around one call of a library. `toeplitz` with jit is a gather of XLA's, where without jit a view is",
        "copied.",
        "",
        f"| | size | functions | geometric mean of the ratio | above {GOAL} | highest |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    left = len(CASES) - len(times)
    if left:
        text.insert(9, f"Of {len(CASES)} cases {left} have not been measured yet.")
    parts = {key: {n: t for n, t in good.items() if part(n) == key} for key in PARTS}
    for key, rows in parts.items():
        for size in ROWS:
            of_size = {name: each for name, each in rows.items() if rows_of(name) == size}
            if of_size:
                text.append(f"| {PARTS[key]} | {size} | {summary(of_size)} |")
    text += failures(times)
    for key, rows in parts.items():
        text += ["", titled(PARTS[key]), ""]
        text += ["| function | size | treadle | jax | SciPy, NumPy | ratio |"]
        text += ["|---|---:|---:|---:|---:|---:|"]
        for name in sorted(rows, key=lambda name: (rows_of(name), -ratio(rows[name]))):
            function = name.split()[0] + (" (f64)" if name.endswith(X64) else "")
            cells = [amount(rows[name][library], "s") for library in ALL]
            text.append(
                f"| {function} | {rows_of(name)} | {' | '.join(cells)} | {ratio(rows[name]):.2f} |"
            )
    return "\n".join(text) + "\n"


def read(part: str, line: str) -> tuple[str, dict[str, Any]] | None:
    """The case of a row of a part's table, and its times."""
    if (row := _ROW.fullmatch(line)) is None:
        return None
    name = f"{row[1]} {part.split()[1]} {row[3]}{X64 if row[2] else ''}"
    return name, dict(zip(ALL, map(seconds, row.groups()[3:]), strict=True))


def main() -> int:
    """Measure and write."""
    options = parser(
        "linear algebra and Fourier transforms, treadle against jax and SciPy", PAGE
    ).parse_args()

    @contextmanager
    def measuring() -> Iterator[Callable[[Case], dict[str, Any]]]:
        with one_core(options, "sizes") as single, one_core(options, "sizes x64") as double:
            yield lambda case: least(
                "sizes", case, double if case.name.endswith(X64) else single, ALL
            )

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
