"""Errors as other programs show them: pytest, pools of processes, a debugger."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from conformance.tracebacks.test_entrances import SOURCES

MOST = 25  # lines of all that pytest prints of one failing test

FAILING = {
    "jit": "treadle.jit(lambda x: tnp.ones(3) + x)(tnp.ones(4))",
    "grad": "treadle.grad(lambda x: tnp.dot(x, tnp.ones(3)))(tnp.ones(4))",
    "scan": "lax.scan(lambda c, x: (c + tnp.ones(3), x), tnp.ones(()), tnp.ones(3))",
    "update": "tnp.ones(3).at['a'].set(1)",
}
TESTS = "import treadle\nimport treadle.numpy as tnp\nfrom treadle import lax\n\n\n" + "\n\n".join(
    [f"def test_{name}():\n    {line}\n" for name, line in FAILING.items()]
)


def test_pytest_shows_the_line_the_reason_and_the_fix(tmp_path: Path) -> None:
    (tmp_path / "test_them.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_them.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert "4 failed" in done.stdout, done.stdout
    assert SOURCES not in done.stdout
    _, *sections = done.stdout.partition("short test summary")[0].split("\n____")
    assert len(sections) == len(FAILING)
    for line, section in zip(FAILING.values(), sections, strict=True):
        assert len(section.splitlines()) <= MOST, section
        assert re.search(f"^> +{re.escape(line)}", section, re.MULTILINE), section
        assert "fix: " in section
        assert "treadle.errors." in section


POOL = """
import traceback
from concurrent.futures import ProcessPoolExecutor
import multiprocessing

def fails(size):
    import treadle, treadle.numpy as tnp
    return treadle.jit(lambda x: tnp.ones(3) + x)(tnp.ones(size))

if __name__ == "__main__":
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            pool.submit(fails, 4).result()
        except Exception:
            traceback.print_exc()
"""


def test_a_pool_of_processes(tmp_path: Path) -> None:
    (tmp_path / "pool.py").write_text(POOL)
    command = [sys.executable, "pool.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert "incompatible shapes" in done.stderr
    assert "in fails" in done.stderr
    assert SOURCES not in done.stderr
    assert len(done.stderr.splitlines()) <= 45  # the worker's traceback, Python's own frames, ours


DEBUGGED = """
import treadle, treadle.numpy as tnp

def loss(x):
    secret = "forty-two"
    return x + tnp.ones(4)

treadle.grad(treadle.jit(loss))(tnp.ones(3))
"""


def test_a_debugger_finds_the_users_variables(tmp_path: Path) -> None:
    (tmp_path / "debugged.py").write_text(DEBUGGED)
    command = [sys.executable, "-m", "pdb", "-c", "continue", "debugged.py"]
    done = subprocess.run(
        command, input="p secret\nup\np x\nq\n", capture_output=True, text=True, cwd=tmp_path
    )
    assert "'forty-two'" in done.stdout, done.stdout + done.stderr
    assert "debugged.py(8)<module>()" in done.stdout
