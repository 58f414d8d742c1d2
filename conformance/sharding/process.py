"""Runs a module's laws in a process with eight devices.

A module of this folder has a table `LAWS`, from names to functions that raise where the law does not hold.
`python -m conformance.sharding.process pool` runs all of `conformance.sharding.pool` and prints, as JSON, what each
raised: an empty string where it holds.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Final

import pytest

from conformance.brief import kept
from conformance.platform import environment, skip_without_devices

ROOT: Final = Path(__file__).parent.parent.parent
# The tests of modules whose laws have many cases, of which a brief run tries a part.
MANY: Final = {
    "pool": "test_programs_of_the_pool",
    "maps": "test_shard_map_is_vmap",
    "pmaps": "test_pmap_is_vmap",
    "several_axes": "test_collectives_over_several_axes",
    "arrays": "test_arrays",
    "memories": "test_memories",
    "explicit.laws": "test_explicit_axes",
}
ENVIRONMENT: Final = {"TREADLE_CACHE": "0", **environment(devices=8)}


def results(module: str, **more: str) -> dict[str, str]:
    """Return what each law of a module raised, in a process with eight devices of the platform under test."""
    skip_without_devices(8)
    path = os.pathsep.join([entry for entry in (str(ROOT), *sys.path) if entry])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "conformance.sharding.process", module],
        capture_output=True,
        text=True,
        env={**os.environ, **ENVIRONMENT, **more, "PYTHONPATH": path},
        timeout=1500,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(module: str) -> None:
    """Run all laws of a module, and print what each raised."""
    laws = importlib.import_module(f"conformance.sharding.{module}").LAWS
    law = f"sharding/test_sharding.py::{MANY[module]}" if module in MANY else ""
    raised = {}
    for name in kept(law, [*laws]):
        try:
            laws[name]()
        except (Exception, pytest.fail.Exception):  # whatever it is, it is shown
            raised[name] = traceback.format_exc()
        else:
            raised[name] = ""
    print(json.dumps(raised))


if __name__ == "__main__":
    main(sys.argv[1])
