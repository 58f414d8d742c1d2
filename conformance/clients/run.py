"""Run the jobs of JAX's libraries on treadle, and compare their results with JAX's.

    python conformance/clients/run.py                  each job on treadle, against the stored values
    python conformance/clients/run.py optax flax       some of them
    python conformance/clients/run.py --live           against JAX, run beside it on this machine
    python conformance/clients/run.py --store          run on JAX, and store the values
    python conformance/clients/run.py --write          write docs/compatibility.md

Each job is a process of its own: `python -m treadle_jax optax_job.py`, or `python optax_job.py` for JAX. Needs the
libraries, `treadle-jax`, and for `--live` and `--store` JAX. `nox -s clients` sees to all that.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs/compatibility.md"
STORED = HERE / "stored"
# The jobs, by the distribution that each is about. The order is that of the page.
JOBS = {
    "optax": "optax",
    "chex": "chex",
    "jaxtyping": "jaxtyping",
    "jaxopt": "jaxopt",
    "equinox": "equinox",
    "lineax": "lineax",
    "optimistix": "optimistix",
    "diffrax": "diffrax",
    "blackjax": "blackjax",
    "distrax": "distrax",
    "numpyro": "numpyro",
    "haiku": "dm-haiku",
    "flax": "flax",
    "flax_nnx": "flax",
}
# Results that rounding is magnified in, with the reason and how far they may be apart. All others: TOLERANCE.
LOOSE = {
    ("diffrax", "gradient"): (1e-3, "by a solve with adaptive steps"),
    ("diffrax", "gradient under jit"): (1e-3, "by a solve with adaptive steps"),
    ("diffrax", "adjoint"): (1e-3, "by a solve with adaptive steps"),
    ("numpyro", "first samples"): (1e-2, "of a sampler after warm-up"),
}
TOLERANCE = 2e-4
# Results that differ, with the reason. One that agrees after all is a problem, too: take it out.
KNOWN = {
    (
        "jaxtyping",
        "typed keys",
    ): "`Key[Array, ...]` does not know treadle's keys, whose element type is "
    "one of NumPy's structured types (decision 0019)",
}
SECONDS = 600


class Result(NamedTuple):
    """A job's outcome: how many of its results agree, and what is wrong."""

    job: str
    agree: int
    of: int
    problems: list[str]
    known: list[str]
    seconds: float


def run(job: str, *options: str) -> tuple[dict[str, Any], str, float]:
    """The results of a job by name, the last lines of an error, and the time."""
    script = str(HERE / f"{job}_job.py")
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, *options, script], capture_output=True, text=True, timeout=SECONDS
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    error = "" if done.returncode == 0 else " | ".join(done.stderr.strip().splitlines()[-3:])
    return {line["name"]: line["values"] for line in lines}, error, time.monotonic() - begun


def difference(found: Any, wanted: Any) -> float:
    """How far results are apart, as a part of their size."""
    if len(found) != len(wanted):
        return float("inf")
    worst = 0.0
    for a, b in zip(map(np.asarray, found), map(np.asarray, wanted), strict=True):
        if a.shape != b.shape:
            return float("inf")
        if a.size:
            scale = max(float(np.max(np.abs(b))), 1e-6)
            worst = max(worst, float(np.max(np.abs(a - b))) / scale)
    return worst if worst == worst else float("inf")


def compare(job: str, wanted: dict[str, Any]) -> Result:
    """Run a job on treadle and compare."""
    found, error, seconds = run(job, "-m", "treadle_jax")
    problems = [error] if error else []
    known: list[str] = []
    agree = 0
    for name, values in wanted.items():
        if name not in found:
            problems.append(f"{name}: missing")
            continue
        apart = difference(found[name], values)
        if (job, name) in KNOWN:
            if apart > TOLERANCE:
                known.append(f"{name}: {KNOWN[job, name]}")
            else:
                problems.append(f"{name}: agrees, but stands in KNOWN")
        elif apart <= LOOSE.get((job, name), (TOLERANCE, ""))[0]:
            agree += 1
        else:
            problems.append(f"{name}: apart by {apart:.1g} of its size")
    return Result(job, agree, len(wanted), problems, known, seconds)


def page(results: list[Result]) -> str:
    """The table."""
    rows = [
        f"| {JOBS[each.job]}{' (nnx)' if each.job == 'flax_nnx' else ''} "
        f"| {importlib.metadata.version(JOBS[each.job])} | {each.agree} of {each.of} "
        f"| {'; '.join([*each.problems, *each.known]).replace('|', '/') or 'none'} |"
        for each in results
    ]
    jaxlib = importlib.metadata.version("jaxlib")
    return f"""# Libraries of JAX on treadle

Released wheels, unmodified, run by `python -m treadle_jax`; written by `conformance/clients/run.py --write` with
jaxlib {jaxlib} on the CPU. Each library has one job, a script of `conformance/clients/`; its results are compared with
those of the same script on JAX, to {TOLERANCE:g} of their size ({len(LOOSE)} results to more: `LOOSE` in that file has
the reasons).

| library | version | results that agree | which do not, and why |
|---|---|---|---|
{chr(10).join(rows)}

What this does not show: the libraries' own test suites have not been run, nor have accelerators.

Names that a library imports and treadle lacks raise when they are used, and say so: `treadle_jax/wanted.py` lists
them.
"""


def main(arguments: list[str]) -> int:
    """Run what is asked for."""
    jobs = [each for each in arguments if not each.startswith("-")] or list(JOBS)
    if "--store" in arguments:
        STORED.mkdir(exist_ok=True)
        for job in jobs:
            values, error, _ = run(job)
            if error:
                print(f"{job}: {error}")
                return 1
            versions = {name: importlib.metadata.version(name) for name in ("jax", JOBS[job])}
            stored = {"made_by": "run.py --store", "versions": versions, "values": values}
            (STORED / f"{job}.json").write_text(json.dumps(stored, indent=1) + "\n")
        return 0
    results = []
    for job in jobs:
        if "--live" in arguments:
            wanted, error, _ = run(job)
            if error:
                print(f"{job}: on JAX: {error}")
                return 1
        else:
            wanted = json.loads((STORED / f"{job}.json").read_text())["values"]
        results.append(compare(job, wanted))
        last = results[-1]
        print(
            f"{job}: {last.agree} of {last.of} in {last.seconds:.0f} s", *last.problems, sep="\n  "
        )
    if "--write" in arguments:
        PAGE.write_text(page(results))
    return 0 if all(not each.problems for each in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
