"""Each module can be the first of its package that is imported: no order of imports is the right one."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from conformance.brief import kept

pytestmark = pytest.mark.programs

BELOW: Final = {
    "treadle_ir": "numpy ml_dtypes",
    "treadle_autodiff": "treadle_ir",
    "treadle_batching": "treadle_ir",
    "treadle_compiler": "treadle_ir jaxlib.xla_client jaxlib.mlir.ir",
    "treadle_runtime": "treadle_compiler",
    "treadle_insight": "treadle_autodiff treadle_runtime",
    "treadle_numpy": "treadle_autodiff",
    "treadle": "treadle_autodiff treadle_batching treadle_compiler treadle_runtime treadle_numpy",
}

# A process that has imported what is below, and a copy of it for each module. Who imports a module imports its package
# before it: what that has imported itself comes in the same order whichever of its modules is asked for.
CODE: Final = """
import importlib, os, sys, traceback

def imported(name):
    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        with open(reader) as found:
            loaded = found.read().split()
        os.wait()
        return loaded
    try:
        importlib.import_module(name)
    except BaseException:
        print(name, traceback.format_exc(), flush=True)
    with open(writer, "w") as found:
        found.write(" ".join(sys.modules))
    os._exit(0)

below, modules = sys.argv[1].split(), sys.stdin.read().split()
for name in below:
    importlib.import_module(name)
loaded = {}
for name in modules:
    with_package = loaded.get(name.rpartition(".")[0], ())
    loaded[name] = with_package if name in with_package else set(imported(name))
"""


def modules(package: str) -> list[str]:
    """A package and what is in it, packages before their modules; a module next to a `__main__` is a program."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent
    names = [
        ".".join((package, *path.relative_to(root).with_suffix("").parts))
        for path in root.rglob("*.py")
    ]
    return sorted(name for each in names if "__" not in (name := each.removesuffix(".__init__")))


@pytest.mark.parametrize("package", BELOW)
def test_each_module_can_be_imported_first(package: str) -> None:
    every = modules(package)
    assert len(every) > 5
    found = kept("test_each_module_first.py::modules", every)
    done = subprocess.run(
        [sys.executable, "-c", CODE, BELOW[package]],
        input=" ".join(found),
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stdout, done.stdout
