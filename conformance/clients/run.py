"""Run the jobs of JAX's libraries on treadle, and compare their results with JAX's.

    python -m conformance.clients.run                  each job on treadle, against the stored values
    python -m conformance.clients.run optax flax       some of them
    python -m conformance.clients.run --live           against JAX, run on this machine as well
    python -m conformance.clients.run --store          run on JAX, and store the values
    python -m conformance.clients.run --write          write docs/compatibility.md

Each job is a process of its own: `python -m treadle_jax optax_job.py`, or `python optax_job.py` for JAX; two run at a
time. Another process imports every module of the library (`imports.py`). Needs the libraries in the releases of
`requirements.txt`, `treadle-jax`, and for `--live` and `--store` JAX. `nox -s clients` sees to all that.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from conformance.clients import page, releases
from conformance.clients.comparing import compared
from conformance.clients.libraries import JOBS, LIBRARIES
from conformance.clients.messages import portable

HERE = Path(__file__).resolve().parent
STORED = HERE / "stored"
IMPORTS = STORED / "imports.json"
TREADLE = ("-m", "treadle_jax")
SECONDS = 600
LONGEST = "diffrax"  # is started first, in parallel with all others


class Ran(NamedTuple):
    """What a process printed, as JSON, the last lines of its error, and the time that it took."""

    lines: list[dict[str, Any]]
    error: str
    seconds: float


class JobError(Exception):
    """A job that does not run on JAX: there is nothing to compare with."""


def ran(*arguments: str) -> Ran:
    """Run Python with arguments."""
    begun = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Ran([], f"not ready after {SECONDS} seconds", time.monotonic() - begun)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    error = "" if done.returncode == 0 else " | ".join(done.stderr.strip().splitlines()[-3:])
    return Ran(lines, error, time.monotonic() - begun)


def run(job: str, *options: str) -> tuple[dict[str, Any], str, float]:
    """The results of a job by name, the last lines of an error, and the time."""
    lines, error, seconds = ran(*options, str(HERE / f"{job}_job.py"))
    return {line["name"]: line["values"] for line in lines}, error, seconds


def on_jax(job: str) -> dict[str, Any]:
    """The results of a job on JAX."""
    values, error, _ = run(job)
    if error:
        raise JobError(f"{job}: on JAX: {error}")
    return values


def compare(job: str, live: bool) -> page.Job:
    """Run a job on treadle, and compare with the values of JAX."""
    if (message := releases.absent(JOBS[job])) is not None:
        return page.Job(job, 0, 0, [message], [], 0.0)
    if live:
        wanted, other = on_jax(job), None
    else:
        stored = json.loads((STORED / f"{job}.json").read_text())
        wanted, other = stored["values"], releases.changed(stored["versions"])
    found, error, seconds = run(job, *TREADLE)
    agree, problems, known = compared(job, found, wanted)
    problems = [*([error] if error else []), *problems]
    if problems and other is not None:
        problems.insert(0, other)
    return page.Job(job, agree, len(wanted), problems, known, seconds)


def failed_imports(library: str, *options: str) -> tuple[int, dict[str, str]]:
    """Return the number of modules of a library, and the errors of the modules that cannot be imported."""
    lines, error, _ = ran(*options, str(HERE / "imports.py"), library)
    outcomes: dict[str, str | None] = lines[0] if lines else {library: error}
    failed = {name: portable(each) for name, each in outcomes.items() if each is not None}
    return len(outcomes), failed


def import_all(library: str, live: bool) -> page.Imports:
    """Import every module of a library on treadle; those that JAX cannot import either do not count."""
    if (message := releases.absent(LIBRARIES[library])) is not None:
        return page.Imports(library, 0, 0, [message])
    stored = json.loads(IMPORTS.read_text())["failed"].get(library, {})
    without = failed_imports(library)[1] if live else stored
    count, failed = failed_imports(library, *TREADLE)
    problems = [f"{name}: {error}" for name, error in failed.items() if name not in without]
    of = count - len(without.keys() & failed.keys())
    return page.Imports(library, of - len(problems), of, problems)


def store(jobs: list[str]) -> None:
    """Run on JAX, and store results, and the modules that cannot be imported."""
    STORED.mkdir(exist_ok=True)
    for job in jobs:
        values = on_jax(job)
        versions = {name: releases.installed(name) for name in ("jax", JOBS[job])}
        stored = {"made_by": "run.py --store", "versions": versions, "values": values}
        (STORED / f"{job}.json").write_text(json.dumps(stored, indent=1) + "\n")
    libraries = [library for library, name in LIBRARIES.items() if name in map(JOBS.get, jobs)]
    if jobs == list(JOBS):
        libraries = list(LIBRARIES)
    before = json.loads(IMPORTS.read_text())["failed"] if IMPORTS.exists() else {}
    failed = {library: failed_imports(library)[1] for library in libraries}
    merged = {library: each for library, each in {**before, **failed}.items() if each}
    IMPORTS.write_text(json.dumps({"made_by": "run.py --store", "failed": merged}, indent=1) + "\n")


def main(arguments: list[str]) -> int:
    """Run the jobs that `arguments` name."""
    jobs = [each for each in arguments if not each.startswith("-")] or list(JOBS)
    unknown = [job for job in jobs if job not in JOBS]
    if unknown:
        print(f"no job is called {', '.join(unknown)}; the jobs are {', '.join(JOBS)}")
        return 2
    live = "--live" in arguments
    distributions = {JOBS[job] for job in jobs}
    libraries = [
        library
        for library, name in LIBRARIES.items()
        if name in distributions or (jobs == list(JOBS) and name not in JOBS.values())
    ]
    try:
        if "--store" in arguments:
            store(jobs)
            return 0
        with ThreadPoolExecutor(max_workers=2) as pool:
            first = sorted(jobs, key=lambda job: job != LONGEST)
            running = {job: pool.submit(compare, job, live) for job in first}
            importing = [pool.submit(import_all, library, live) for library in libraries]
            results = []
            for job in jobs:
                result = running[job].result()
                results.append(result)
                summary = f"{result.job}: {result.agree} of {result.of} results agree"
                print(f"{summary}, {result.seconds:.0f} s", *result.problems, sep="\n  ")
            imported = []
            for waiting in importing:
                each = waiting.result()
                imported.append(each)
                print(
                    f"{each.library}: {each.done} of {each.of} modules imported",
                    *each.problems,
                    sep="\n  ",
                )
    except JobError as error:
        print(error)
        return 1
    if "--write" in arguments:
        page.write(results, imported)
    problems = [each.problems for each in results] + [each.problems for each in imported]
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
