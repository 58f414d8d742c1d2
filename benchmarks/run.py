"""Treadle, jax on the same jaxlib and numpy, side by side: one process each, alternating, in CPU time.

    python benchmarks/run.py                     every group, a table on the screen
    python benchmarks/run.py --only eager        one group: startup eager faq calls operations functions programs memory
                                                 sharding
    python benchmarks/run.py --quick             fewer rounds, without the slowest programs
    python benchmarks/run.py --out table.md      the table also as markdown

Needs treadle and jax installed here, or `--jax-python` for an environment that has jax with the same
jaxlib. Each number is the median of several rounds that go through the libraries in turn; results are
compared between the libraries before a number counts.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

import numpy
from cases.base import Budget, Case, Namespace

GROUPS: Final = (
    "startup",
    "eager",
    "faq",
    "calls",
    "operations",
    "functions",
    "programs",
    "memory",
    "sharding",
)
# What a group's processes, or some of them, find in their environment besides.
ENVIRONMENTS: Final[dict[str, dict[str, str]]] = {
    "sharding": {
        "TREADLE_NUM_CPU_DEVICES": "8",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
    },
    "sizes x64": {"TREADLE_ENABLE_X64": "1", "JAX_ENABLE_X64": "1"},
}
STAGES: Final = ("trace", "lower", "compile")
STAGE_BUDGETS: Final = {
    "trace": Budget(jax=1 / 4),
    "lower": Budget(jax=1 / 3),
    "compile": Budget(jax=1.02),
}
ROUND: Final = (
    0.05  # seconds of CPU time that a round of short calls takes, unless `--round` says otherwise
)


def cases(group: str) -> dict[str, Case]:
    """A group's cases by name."""
    return {case.name: case for case in importlib.import_module(f"cases.{group}").CASES}


# In the child: one process per library, told over its standard input what to measure next.


def child(library: str, seconds: float) -> None:
    """Answer each line `[group, case]` with a line of seconds and of digests, or of an error."""
    ns = Namespace(library)
    ns.warm_up()
    gc.collect()
    gc.freeze()  # existing objects stay: collections before each round would visit all of them
    made: dict[tuple[str, str], Any] = {}
    for line in sys.stdin:
        group, name = json.loads(line)
        case = cases(group)[name]
        try:
            answer = measured(case, ns, made, (group, name), seconds)
        except Exception as error:  # any failure of a library is a row of the table, not the end
            answer = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
        print(json.dumps(answer), flush=True)


def measured(
    case: Case, ns: Namespace, made: dict[Any, Any], key: Any, seconds: float
) -> dict[str, Any]:
    """One round of one case."""
    if case.kind == "stages":
        return stages(case, ns)
    if case.kind.endswith("value"):
        return {"seconds": {"": case.make(ns)()}, "digest": []}
    if key not in made:
        call = case.make(ns)
        seen = digest(ns.wait(call()))  # at once: what a case donates is gone after the next call
        once = timed(call, ns, 1)
        made[key] = call, max(1, int(seconds / max(once, 1e-7) / 3)), seen
    call, count, seen = made[key]
    for _ in range(3):  # the first calls are slower: what was learnt from them may be wrong by far
        spent = timed(call, ns, count)
        if spent >= seconds / 2:
            break
        count = min(100 * count, max(1, int(count * seconds / max(spent, 1e-6))))
    made[key] = call, count, seen
    return {"seconds": {"": timed(call, ns, count) / count}, "digest": seen}


def timed(call: Any, ns: Namespace, count: int) -> float:
    """CPU seconds of some calls, the last one waited for."""
    gc.collect()
    gc.disable()
    result = None
    start = time.process_time()
    for _ in range(count):
        result = call()
    ns.wait(result)
    spent = time.process_time() - start
    gc.enable()
    return spent


def stages(case: Case, ns: Namespace) -> dict[str, Any]:
    """CPU seconds of tracing, lowering and compiling a function that was never seen."""
    function, operands = case.make(ns)
    gc.collect()
    times = [time.process_time()]
    traced = ns.jit(function).trace(*operands)
    times.append(time.process_time())
    lowered = traced.lower()
    times.append(time.process_time())
    compiled = lowered.compile()
    times.append(time.process_time())
    seconds = {stage: b - a for stage, a, b in zip(STAGES, times[:-1], times[1:], strict=True)}
    return {"seconds": seconds, "digest": digest(ns.wait(compiled(*operands)))}


def digest(result: Any) -> list[Any]:
    """Return what is compared between libraries: shapes, some elements, mean and size of every array."""
    found: list[Any] = []
    stack = [result]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item[key] for key in sorted(item))
        elif isinstance(item, list | tuple):
            stack.extend(item)
        elif isinstance(item, str | numpy.dtype | type) or type(item).__name__ in (
            "KeyTy",
            "KeyDType",
        ):
            found.append([[*str(item).encode()], 0.0, 0.0])  # told apart letter by letter
        elif is_key(getattr(item, "dtype", None)):
            found.append([list(item.shape), 0.0, 0.0])
        elif hasattr(item, "opt_cost"):  # of `einsum_path`
            stack.append(float(item.opt_cost))
        elif hasattr(item, "bits"):  # `finfo`, `iinfo`
            stack.extend([item.bits, item.min, item.max])
        else:
            array = numpy.asarray(item, dtype=numpy.float64)
            some = array.ravel()[:: max(1, array.size // 5)]
            norm = float(numpy.sqrt((array * array).mean()))
            found.append([list(array.shape), *map(float, some), float(array.mean()), norm])
    return found


def is_key(dtype: Any) -> bool:
    """Return whether an element type is a type of random keys, which have no numbers."""
    structured = isinstance(dtype, numpy.dtype) and dtype.names is not None
    return structured or str(dtype).startswith("key<")


def agree(one: list[Any], other: list[Any]) -> bool:
    """Return whether two digests agree, up to single precision."""
    if len(one) != len(other):
        return False
    for (shape, *ours), (their_shape, *theirs) in zip(one, other, strict=True):
        scale = max(abs(ours[-1]), abs(theirs[-1]), 1e-3)
        close = all(
            abs(a - b) <= 2e-3 * scale or (a != a and b != b) or a == b
            for a, b in zip(ours, theirs, strict=True)
        )
        if shape != their_shape or not close:
            return False
    return True


# In the parent.


class Library:
    """A child process that waits for what to measure."""

    def __init__(
        self, name: str, python: str, environment: dict[str, str], seconds: float = ROUND
    ) -> None:
        self.name = name
        self.python = python
        self.environment = environment
        self.seconds = seconds
        self.process: subprocess.Popen[str] | None = None

    def ask(self, group: str, case: Case) -> dict[str, Any]:
        """One round."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [self.python, __file__, "--child", self.name, "--round", str(self.seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=self.environment,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([group, case.name]), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            return {"error": f"the process ended with {self.process.wait()}"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def script(self, code: str, extra: dict[str, str]) -> dict[str, Any]:
        """CPU seconds of a script in a fresh process, its own and the interpreter's."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run(
            [self.python, "-c", code],
            capture_output=True,
            text=True,
            env={**self.environment, **extra},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if result.returncode != 0:
            return {"error": result.stderr.strip().splitlines()[-1][:300]}
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        words = result.stdout.split()
        return {"seconds": {"": spent}, "digest": [[[], *map(float, words), 0.0, 0.0]]}

    def stop(self) -> None:
        """End the child."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.process = None


class Row:
    """One line of the table."""

    def __init__(self, group: str, name: str, unit: str, budget: Budget) -> None:
        self.group, self.name, self.unit, self.budget = group, name, unit, budget
        self.samples: dict[str, list[float]] = {}
        self.errors: dict[str, str] = {}

    def times(self) -> dict[str, float]:
        """Medians."""
        return {name: statistics.median(found) for name, found in self.samples.items()}

    def cells(self) -> list[str]:
        """Return the cells of the table's row."""
        times = self.times()
        shown = [
            amount(times[name], self.unit)
            if name in times
            else "failed"
            if name in self.errors
            else ""
            for name in ("treadle", "jax", "numpy")
        ]
        ratio = times["treadle"] / times["jax"] if times.get("jax") and "treadle" in times else None
        excess = self.budget.excess(times)
        if "results differ" in self.errors.values():
            verdict = "WRONG RESULT"
        elif "treadle" in self.errors:
            verdict = "no result"
        elif excess is None:
            verdict = "–"
        else:
            verdict = (
                "met"
                if excess <= 1
                else "missed"
                if excess == math.inf
                else f"missed: {excess:.2f} × the budget"
            )
        shown_ratio = "" if ratio is None else f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"
        return [self.name, *shown, shown_ratio, self.budget.text(), verdict]


def amount(value: float, unit: str) -> str:
    """`12.3 µs`, `4.56 ms`, `400 MB`."""
    if unit != "s":
        return f"{value:.3g} {unit}"
    for factor, name in ((1e6, "µs"), (1e3, "ms")):
        if value * factor < 1000:
            return f"{value * factor:.3g} {name}"
    return f"{value:.3g} s"


@contextmanager
def libraries(
    options: argparse.Namespace, bytecode: str, group: str
) -> Iterator[dict[str, Library]]:
    """The three, one core each: more would make CPU time depend on who else is running.

    Byte code is kept, as it is where pip has installed a library: otherwise, with packages put there
    by uv on a machine where Python may not write it, every start would compile every source.
    """
    environment = {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": bytecode,
        "TREADLE_CACHE": "0",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "JAX_PLATFORMS": "cpu",
        "TREADLE_PLATFORMS": "cpu",
        **ENVIRONMENTS.get(group, {}),
    }
    pythons = {"treadle": sys.executable, "jax": options.jax_python, "numpy": sys.executable}
    found = {
        name: Library(name, python, environment, options.round) for name, python in pythons.items()
    }
    try:
        yield found
    finally:
        for library in found.values():
            library.stop()


def rounds_of(case: Case, options: argparse.Namespace) -> int:
    """Return how often a case is measured."""
    if case.kind.endswith("value"):
        return 1
    if case.kind == "stages":
        return 2 if options.quick or case.slow else 3
    return 3 if options.quick else 7


def warm(library: Library, case: Case, folder: Path) -> dict[str, str]:
    """The environment of a script that finds its executables on disk, filled by a run before."""
    extra = caching(library.name, folder)
    library.script(case.make(named(library.name)), extra)
    return extra


def caching(library: str, folder: Path) -> dict[str, str]:
    """Turn a library's disk cache on, in a folder of its own."""
    place = str(folder / library)
    if library == "treadle":
        return {"TREADLE_CACHE": "1", "TREADLE_CACHE_DIR": place}
    return {
        "JAX_COMPILATION_CACHE_DIR": place,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def named(library: str) -> Namespace:
    """A namespace of which only the name is used: the parent imports no library."""
    bare = Namespace.__new__(Namespace)
    bare.library = library
    return bare


def run_case(
    group: str, case: Case, found: dict[str, Library], options: argparse.Namespace
) -> list[Row]:
    """All rounds of one case."""
    rows: dict[str, Row] = {}
    names = [name for name in case.libraries if name in found]
    digests: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        extras: dict[str, dict[str, str]] = {name: {} for name in names}
        if case.kind == "process warm":
            extras = {name: warm(found[name], case, Path(folder)) for name in names}
        elif case.kind.startswith("process") and not case.kind.endswith("value"):
            for name in names:  # once without counting: byte code and the system's file cache
                found[name].script(case.make(named(name)), {})
        for number in range(rounds_of(case, options)):
            for name in names:
                library = found[name]
                if case.kind.startswith("process") and not case.kind.endswith("value"):
                    extra = extras[name]
                    if case.kind == "process cold":
                        extra = caching(name, Path(folder) / str(number))
                    answer = library.script(case.make(named(name)), extra)
                else:
                    if case.kind.startswith("process"):
                        library.stop()  # a peak of memory can only be seen once in a process
                    answer = library.ask(group, case)
                if "error" in answer:
                    row = rows.setdefault("", Row(group, case.name, case.unit, case.budget))
                    row.errors[name] = answer["error"]
                    continue
                digests.setdefault(name, answer["digest"])
                for stage, seconds in answer["seconds"].items():
                    title = f"{stage}: {case.name}" if stage else case.name
                    budget = STAGE_BUDGETS[stage] if stage else case.budget
                    row = rows.setdefault(stage, Row(group, title, case.unit, budget))
                    row.samples.setdefault(name, []).append(seconds)
    reference = digests.get("jax", digests.get("numpy", []))
    for name, seen in digests.items():
        if case.compared and not agree(seen, reference):
            for row in rows.values():
                row.errors[name] = "results differ"
    return list(rows.values())


def machine() -> str:
    """Describe the machine of the measurement."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = (line for line in info.read_text().splitlines() if line.startswith("model name"))
        model = next(lines, f":{model}").partition(":")[2].strip()
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    )


def markdown(rows: list[Row]) -> str:
    """The tables, one for each group."""
    head = ["", "treadle", "jax", "numpy", "treadle/jax", "budget", ""]
    text = []
    for group in dict.fromkeys(row.group for row in rows):
        text.append(f"\n## {group}\n")
        text.append("| " + " | ".join(head) + " |")
        text.append("|---|" + "---:|" * 4 + "---|---|")
        text += ["| " + " | ".join(row.cells()) + " |" for row in rows if row.group == group]
        failures = [
            f"\n- {row.name}, {name}: {error}"
            for row in rows
            if row.group == group
            for name, error in row.errors.items()
        ]
        text.append("".join(failures))
    return "\n".join(text) + "\n"


def show(row: Row) -> None:
    """A line on the screen."""
    name, *cells = row.cells()
    widths = (10, 10, 10, 12, 30, 0)
    print(
        f"{name:<44}" + "".join(f"{cell:>{w}}  " for cell, w in zip(cells, widths, strict=True)),
        flush=True,
    )
    for library, error in row.errors.items():
        print(f"    {library}: {error}", flush=True)


def main() -> int:
    """Measure, print, write; 1 where a result was wrong or missing."""
    parser = argparse.ArgumentParser(description="treadle, jax and numpy side by side")
    parser.add_argument("--only", action="append", choices=GROUPS, help="a group; may be repeated")
    parser.add_argument("--case", help="only cases whose name contains this")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, no slow programs")
    parser.add_argument("--out", type=Path, help="write the tables as markdown")
    parser.add_argument("--jax-python", default=sys.executable, help="an interpreter that has jax")
    parser.add_argument("--round", type=float, default=ROUND, help="seconds of a round")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.round)
        return 0
    rows: list[Row] = []
    print(f"{machine()}; CPU time, medians of rounds in turn\n")
    print(
        f"{'':<44}{'treadle':>10}  {'jax':>10}  {'numpy':>10}  {'treadle/jax':>12}  {'budget':>30}"
    )
    with tempfile.TemporaryDirectory() as bytecode:
        for group in options.only or GROUPS:
            print(f"\n{group}")
            with libraries(options, bytecode, group) as found:
                for case in cases(group).values():
                    if (options.quick and case.slow) or (
                        options.case and options.case not in case.name
                    ):
                        continue
                    for row in run_case(group, case, found, options):
                        rows.append(row)
                        show(row)
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(f"# Benchmarks\n\n{machine()}.\n{markdown(rows)}", encoding="utf-8")
    return 1 if any("treadle" in row.errors for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
