"""Draw and compare programs: `python -m conformance.random_programs --count 1000 --seed 5 --jax PYTHON`.

With `--hours` it goes on for that long. Set `TREADLE_NUM_CPU_DEVICES=8` for meshes of eight devices. What was run and
found is written to `--results`; a script for each failure is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import platform
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Final

import treadle
from conformance.random_programs.hunt import Hunt
from conformance.random_programs.peer import SCRIPT, Peer

_EVERY: Final = 5  # programs between two reports


def main(arguments: list[str]) -> int:
    """Run, report, and return 1 where something was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, prog="python -m conformance.random_programs"
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hours", type=float, help="go on until they are over, whatever the count")
    parser.add_argument("--jax", help="a Python that has JAX")
    parser.add_argument("--results", type=Path, help="a JSON file to write")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    begun = time.monotonic()
    about = _about(given.jax)
    devices = len(treadle.devices())
    asked = [given.jax, "-P", str(SCRIPT)]
    with Peer(asked, devices) if given.jax else contextlib.nullcontext() as peer:
        hunt = Hunt(given.seed, peer)
        while (
            time.monotonic() < begun + given.hours * 3600
            if given.hours
            else hunt.count < given.count
        ):
            failure = hunt.one()
            if failure is not None:
                print(f"--- program {failure['program']}, {failure['law']}: {failure['detail']}")
                print(failure["script"], flush=True)
            if hunt.count % _EVERY == 0:
                print(f"{hunt.count} programs, {len(hunt.failures)} failures", flush=True)
                _write(given.results, about | hunt.report())  # also when it is ended from outside
    _write(given.results, about | hunt.report())
    print(f"{hunt.count} programs, {len(hunt.failures)} failures")
    return 1 if hunt.failures else 0


def _write(path: Path | None, report: dict[str, Any]) -> None:
    if path is not None:
        path.write_text(json.dumps(report, indent=1) + "\n")


def _about(jax: str | None) -> dict[str, Any]:
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return {
        "made by": "python -m conformance.random_programs",
        "commit": commit,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "treadle": treadle.__version__,
        "jaxlib": importlib.metadata.version("jaxlib"),
        "compared with JAX": jax is not None,
        "devices": len(treadle.devices()),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
