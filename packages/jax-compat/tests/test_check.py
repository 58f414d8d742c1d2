"""`python -m treadle_jax --check`: the names that a program takes and treadle lacks, without running it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import treadle_jax
from treadle_jax.check import check, missing, uses

PROGRAM = """
import jax, os.path
import jax.numpy as jnp, jax.no_module as none
from jax import lax, no_name as other
from jax._src.numpy.ufuncs import cos, no_function
from importlib import import_module

raise SystemExit("it must not run")
pl = import_module("jax.experimental.no_pallas")
np = jax.numpy
np.sin(1), np.no_sin(2)
other.further.on

def f(x, jnp=os):
    lax.no_scan(x)
    return jnp.no_os(x) + x.no_method

class Layer(jax.no_base):
    jnp = jnp

try:
    from jax import no_try
except (ImportError, OSError):
    no_try = jax.no_fallback

if TYPE_CHECKING:
    from jax import no_types
[lax for lax in (1, 2)]
"""
EXPECTED = [
    "jax.no_module 3",
    "jax.no_name 4",
    "jax._src.numpy.ufuncs.no_function 5",
    "jax.experimental.no_pallas 9",
    "jax.numpy.no_sin 11",
    "jax.no_name.further.on 12",
    "jax.lax.no_scan 15",
    "jax.no_base 18",
]


@pytest.fixture(autouse=True)
def _hook() -> Iterator[None]:
    treadle_jax.install()
    yield
    treadle_jax.uninstall()


def test_names_with_their_lines() -> None:
    found = [use for use in uses(PROGRAM, "f.py") if missing(use.name) is not None]
    assert [f"{use.name} {use.line}" for use in found if not use.guarded] == EXPECTED
    assert [use.name for use in found if use.guarded] == ["jax.no_try", "jax.no_fallback"]


def test_names_that_treadle_has_are_not_missing() -> None:
    for name in ("jax", "jax.numpy.linalg.inv", "jax.Array.no_attribute", "jax._src.api.jit"):
        assert missing(name) is None
    assert missing("jax.numpy.no_name.more") == "jax.numpy.no_name"


def test_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "below").mkdir()
    file = tmp_path / "below" / "train.py"
    file.write_text("import jax\njax.jit(jax.no_such)\n", encoding="utf-8")
    (tmp_path / "fine.py").write_text("import jax\njax.jit\n", encoding="utf-8")
    assert check([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{file}:2: treadle has no `jax.no_such`",
        "2 files take 3 names of JAX's; treadle lacks 1",
    ]
    assert check([str(tmp_path / "fine.py")]) == 0
    (tmp_path / "fine.py").write_text("import", encoding="utf-8")
    assert check([str(tmp_path / "fine.py")]) == 2
    assert check([str(tmp_path / "nowhere")]) == 2


def test_a_deep_program_is_read() -> None:
    source = "import jax\ny = " + " + ".join(["jax.no_such"] * 900)
    assert sum(use.name == "jax.no_such" for use in uses(source, "f.py")) == 900


def test_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import jax\njax.no_such\nprint('ran')\n", encoding="utf-8")
    command = [sys.executable, "-m", "treadle_jax", "--check"]
    done = subprocess.run(
        [*command, "train.py"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "train.py:2: treadle has no `jax.no_such`"
    assert "ran" not in done.stdout
    assert subprocess.run(command, capture_output=True, check=False).returncode == 2


def test_annotations_are_guarded_as_their_functions_are() -> None:
    function = "def f(x: jax.no_such) -> None: ..."
    source = f"import jax\ntry:\n    {function}\nexcept AttributeError:\n    pass\n{function}\n"
    found = [(use.line, use.guarded) for use in uses(source, "f.py") if use.name == "jax.no_such"]
    assert found == [(3, True), (6, False)]
