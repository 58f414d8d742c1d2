"""The diff in CONTRIBUTING.md adds an operation: applied to a copy of the tree, it is evaluated and transformed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpu

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
# What the copy has to be able to do.
PROGRAM = """
import math

import numpy as np

import treadle
from treadle import lax
from treadle_autodiff import jvp_rules
from treadle_ir import ArrayType, eval_rules, ops, parse_program, stage
from treadle_ir.primitives import elementwise as e
from treadle_ir.testing.examples import all_examples

x = np.array([0.5, 1.0, 10.0, 1000.0], np.float32)
exact = np.log10(x.astype(np.float64))
slope = 1 / (x.astype(np.float64) * math.log(10))

assert e.Log10.__doc__ == ops.log10.__doc__ == "Logarithm to base 10."
program = stage(lambda x: [ops.log10(x)], ArrayType((4,), x.dtype)).program
assert "= log10 %0" in str(program)
assert str(parse_program(str(program))) == str(program)
examples = [each for each in all_examples() if each.primitive is e.Log10()]
assert {str(each.types[0]) for each in examples} >= {"f32[2,3]", "f64[]", "bf16[5]", "f32[0,2]"}

(reference,) = eval_rules[e.Log10()](e.Log10(), x)
np.testing.assert_allclose(reference, exact, rtol=1e-6)
for function in (lax.log10, treadle.jit(lax.log10), treadle.vmap(lax.log10), treadle.jit(treadle.vmap(lax.log10))):
    np.testing.assert_allclose(function(x), exact, rtol=1e-6, atol=1e-7)
value, tangent = treadle.jvp(lax.log10, (x,), (np.ones_like(x),))
np.testing.assert_allclose(value, exact, rtol=1e-6)
np.testing.assert_allclose(tangent, slope, rtol=1e-6)
gradients = treadle.vmap(treadle.jit(treadle.grad(lax.log10)))(x)
np.testing.assert_allclose(gradients, slope, rtol=1e-6)
twice = treadle.grad(treadle.grad(lax.log10))(np.float32(10))
np.testing.assert_allclose(twice, -1 / (100 * math.log(10)), rtol=1e-6)
print("all of it")
"""


def _block(language: str) -> str:
    """The first block of the page in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def _applied(root: Path, diff: str) -> list[str]:
    """The files that a diff changes, after changing them; each part has to fit in one place."""
    files = []
    for section in diff.split("--- ")[1:]:
        name, _, hunks = section.partition("\n")
        text = (root / name).read_text()
        for hunk in hunks.split("@@\n"):
            lines = hunk.splitlines(keepends=True)
            before = "".join([line[1:] for line in lines if not line.startswith("+")])
            after = "".join([line[1:] for line in lines])
            assert text.count(f"\n{before}") == 1, f"{name}: {before}"
            text = text.replace(f"\n{before}", f"\n{after}")
        (root / name).write_text(text)
        files.append(name)
    return files


def _sources(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.glob("packages/*/src/**/*.py*")
        if path.suffix in (".py", ".pyi")
    }


def test_the_diff_of_the_page_adds_an_operation(tmp_path: Path) -> None:
    for name in ("scripts", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for package in (ROOT / "packages").iterdir():
        folder = tmp_path / "packages" / package.name
        shutil.copytree(
            package / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__")
        )
        for name in ("pyproject.toml", "CHANGELOG.md", "since.txt"):
            if (package / name).exists():
                shutil.copy(package / name, folder / name)
    before = _sources(tmp_path)
    by_hand = _applied(tmp_path, _block("diff"))

    sources = os.pathsep.join(map(str, sorted(tmp_path.glob("packages/*/src"))))
    environment = {**os.environ, "PYTHONPATH": sources, "JAX_PLATFORMS": "cpu"}
    stale = subprocess.run([sys.executable, "scripts/stubs.py", "--check"], cwd=tmp_path)
    assert stale.returncode == 1
    commands = _block("sh").splitlines()
    assert commands
    for command in [
        *commands,
        "python scripts/stubs.py --check",
        "python scripts/names.py --check",
    ]:
        python, *arguments = command.split()
        assert python == "python"
        subprocess.run([sys.executable, *arguments], cwd=tmp_path, env=environment, check=True)

    after = _sources(tmp_path)
    changed = {name for name in after if after[name] != before.get(name)}
    assert {*by_hand} < changed
    assert len(changed) <= 6
    row = re.search(r"^\| `log10` .*$", (tmp_path / "docs/primitives.md").read_text(), re.MULTILINE)
    assert row is not None
    assert "missing" not in row[0]

    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.stdout == "all of it\n", ran.stderr
