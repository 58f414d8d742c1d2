from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import jax
if __name__ == "__main__":
    print(jax.grad(lambda x: x**2)(3.0), sys.argv[1:], __file__.endswith("train.py"))
"""
SPAWN = """
import multiprocessing
import jax

def work(x):
    return str(jax.numpy.square(x)), type(jax).__module__

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(work, [3.0]))
"""

VARIABLES = """
import os
os.environ.update(JAX_ENABLE_X64="1", JAX_DEBUG_NANS="1", JAX_DEFAULT_MATMUL_PRECISION="highest")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=3"
import jax, jax.numpy as jnp
print(jnp.zeros(3).dtype, jax.config.jax_debug_nans, jax.config.jax_default_matmul_precision, jax.device_count())
jax.config.update("jax_enable_x64", False)
os.environ["JAX_DEBUG_NANS"] = "0"
import jax
print(jnp.zeros(3).dtype, jax.config.jax_debug_nans)
"""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "treadle_jax", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def test_a_script_runs_with_its_arguments(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    done = run("train.py", "--steps", "3", cwd=tmp_path)
    assert done.stdout.strip() == "6.0 ['--steps', '3'] True", done.stderr


def test_a_module_runs(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "train.py").write_text(SCRIPT)
    done = run("-m", "package.train", "a", cwd=tmp_path)
    assert done.stdout.strip() == "6.0 ['a'] True", done.stderr


def test_a_command_runs(tmp_path: Path) -> None:
    done = run("-c", "import jax, sys; print(jax.__name__, sys.argv)", "a", cwd=tmp_path)
    assert done.stdout.strip() == "jax ['-c', 'a']", done.stderr


def test_annotations_are_what_python_makes_of_them(tmp_path: Path) -> None:
    code = "def f(x: int): ...\nprint(f.__annotations__)"
    (tmp_path / "plain.py").write_text(code)
    (tmp_path / "later.py").write_text(f"from __future__ import annotations\n{code}")
    for arguments, wanted in (
        (["plain.py"], "{'x': <class 'int'>}"),
        (["-c", code], "{'x': <class 'int'>}"),
        (["later.py"], "{'x': 'int'}"),
    ):
        done = run(*arguments, cwd=tmp_path)
        assert done.stdout.strip() == wanted, done.stderr


def test_spawned_processes_get_the_hook(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SPAWN)
    done = run("train.py", cwd=tmp_path)
    assert done.stdout.strip() == "[('9.0', 'treadle_jax.view')]", done.stderr


def test_mistakes_are_told(tmp_path: Path) -> None:
    done = run("none.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot read none.py" in done.stderr
    assert run(cwd=tmp_path).returncode == 2
    assert run("-m", cwd=tmp_path).returncode == 2
    assert "train.py" in run("--help", cwd=tmp_path).stdout


def test_an_exit_status_is_passed_on(tmp_path: Path) -> None:
    assert run("-c", "raise SystemExit(7)", cwd=tmp_path).returncode == 7


def test_variables_that_a_program_sets_before_it_imports_jax_are_read(tmp_path: Path) -> None:
    done = run("-c", VARIABLES, cwd=tmp_path)
    assert done.stdout.splitlines() == ["float64 True highest 3", "float32 True"], done.stderr
    wrong = "import os; os.environ['JAX_ENABLE_X64'] = 'perhaps'; import jax"
    done = run("-c", wrong, cwd=tmp_path)
    assert "environment variable JAX_ENABLE_X64 is 'perhaps', which is neither" in done.stderr
