"""`python -m treadle`: what the parser and the exit codes promise. The doctor's commands are in conformance/insight."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from treadle import __main__ as command_line
from treadle_compiler import DiskCache


def run(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m treadle` in a folder with a cache of its own."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("TREADLE_")}
    variables = {**known, "TREADLE_CACHE_DIR": str(cwd / "cache"), "NO_COLOR": "1", **more}
    command = [sys.executable, "-m", "treadle", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=variables)


@pytest.fixture
def stored(tmp_path: Path) -> DiskCache:
    """A cache with two entries."""
    cache = DiskCache(tmp_path / "cache", environ={})
    cache.put("ab" * 32, b"payload")
    cache.put("cd" * 32, b"longer payload")
    return cache


def test_the_console_script_is_this_function() -> None:
    project = Path(__file__).parent.parent / "pyproject.toml"
    (script,) = tomllib.loads(project.read_text())["project"]["scripts"].items()
    assert script == ("treadle", "treadle.__main__:main")
    assert callable(command_line.main)


def test_the_environment_is_printed(tmp_path: Path) -> None:
    done = run("env", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("treadle: ")
    assert "devices: " in done.stdout


def test_the_cache_is_listed_and_measured(tmp_path: Path, stored: DiskCache) -> None:
    rows = json.loads(run("cache", "ls", "--json", cwd=tmp_path).stdout)
    assert {row["key"]: row["bytes"] for row in rows} == {
        each.key: each.size for each in stored.entries()
    }
    said = json.loads(run("cache", "size", "--json", cwd=tmp_path).stdout)
    assert said["programs"] == 2
    assert said["bytes"] == sum([row["bytes"] for row in rows])
    lines = run("cache", "ls", cwd=tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [row["key"] for row in rows]
    assert run("cache", "size", cwd=tmp_path).stdout.startswith("2 programs, ")


def test_the_cache_is_cleared_only_with_yes(tmp_path: Path, stored: DiskCache) -> None:
    done = run("cache", "clear", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("would remove 2 programs, ")
    assert "fix: treadle cache clear --yes" in done.stderr
    assert len(stored.entries()) == 2
    done = run("cache", "clear", "--yes", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("removed 2 programs, ")
    assert stored.entries() == []
    done = run("cache", "clear", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("nothing to remove")


def test_damaged_programs_are_found(tmp_path: Path, stored: DiskCache) -> None:
    assert run("cache", "verify", cwd=tmp_path).returncode == 0
    path = tmp_path / "cache" / f"{'ab' * 32}.xla"
    path.write_bytes(path.read_bytes()[:-1])
    done = run("cache", "verify", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == f"damaged: {'ab' * 32}"
    assert "2 programs, 1 damaged" in done.stdout


def test_a_cache_that_is_off_cannot_be_listed(tmp_path: Path) -> None:
    done = run("cache", "ls", cwd=tmp_path, TREADLE_CACHE="0")
    assert done.returncode == 2
    assert "fix: unset TREADLE_CACHE" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes and `head` are of POSIX")
def test_a_reader_that_ends_early_is_no_error(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "cache", environ={})
    for number in range(2_000):  # more text than a pipe holds
        cache.put(f"{number:064x}", b"x")
    command = f'"{sys.executable}" -m treadle cache ls | head -n 1'
    variables = {**os.environ, "TREADLE_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=variables)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


PROGRAM = """\
import sys
import treadle
import treadle.numpy as tnp
from treadle import random
print(sys.argv, __name__, treadle.config.treadle_debug_nans, treadle.config.x64_enabled)
kept = []
key = random.key(0)
def broken(what):
    if what == "nans":
        tnp.log(-tnp.ones(3))
    elif what == "keys":
        random.normal(key), random.uniform(key)
    elif what == "leaks":
        treadle.jit(lambda x: kept.append(x))(1.0)
    elif what == "bounds":
        tnp.ones(3)[5]
    elif what == "narrow":
        tnp.ones(3, "int64")
broken(sys.argv[1])
"""


@pytest.mark.parametrize(
    ("checks", "what", "error"),
    [
        ((), "nans", None),
        (("--nans",), "nans", "NotFiniteError"),
        (("--nans",), "keys", None),
        (("--keys",), "keys", "KeyReuseError"),
        (("--leaks",), "leaks", "LeakedTracerError"),
        (("--strict",), "bounds", "IndexingError"),
        (("--strict",), "narrow", "DTypeError"),
        (("--strict", "--x64"), "narrow", None),
    ],
)
def test_a_program_runs_under_checks(
    checks: tuple[str, ...], what: str, error: str | None, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run("run", *checks, "program.py", what, "--nans", cwd=tmp_path)
    nans, x64 = "--nans" in checks or "--strict" in checks, "--x64" in checks
    assert done.stdout == f"['program.py', '{what}', '--nans'] __main__ {nans} {x64}\n"
    assert done.returncode == (0 if error is None else 1), done.stderr
    if error is None:
        assert "Traceback" not in done.stderr
    else:
        first, *_ = done.stderr.splitlines()
        assert first == "Traceback (most recent call last):"
        assert f"{error}: " in done.stderr
        assert "__main__.py" not in done.stderr  # only the program's own frames


def test_the_exit_code_of_a_program_is_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("raise SystemExit(7)")
    assert run("run", "program.py", cwd=tmp_path).returncode == 7
    done = run("run", "none.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "treadle run: cannot read none.py" in done.stderr
    (tmp_path / "program.py").write_text("f(1")
    assert run("run", "program.py", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "distribution", "folder"),
    [(["doctor"], "treadle-insight", "insight"), (["check-jax", "."], "treadle-jax", "jax-compat")],
)
def test_a_distribution_that_is_not_installed_is_named(
    arguments: list[str],
    distribution: str,
    folder: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert command_line.main(arguments) == 2
    assert capsys.readouterr().err == (
        f"treadle {arguments[0]} needs {distribution}\n"
        f"  fix: python -m pip install packages/{folder} (in a checkout of treadle)\n"
    )


def test_names_of_jax_are_checked_in_a_process_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("treadle_jax")
    (tmp_path / "program.py").write_text("import jax\njax.no_such_name\n")
    done = run("check-jax", "program.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "no_such_name" in done.stdout
    (tmp_path / "program.py").write_text("import jax\njax.jit\n")
    assert run("check-jax", "program.py", cwd=tmp_path).returncode == 0


def test_mistakes_of_usage_have_the_exit_code_2(tmp_path: Path) -> None:
    for arguments in (
        ("cache",),
        ("cache", "burn"),
        ("run",),
        ("run", "--nan", "x.py"),
        ("env", "x"),
    ):
        assert run(*arguments, cwd=tmp_path).returncode == 2
