"""`python -m treadle doctor` and `python -m treadle trace program.py`, as users run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.distributed import starting
from conformance.platform import environment
from treadle_insight import Report

pytestmark = pytest.mark.installed

PROGRAM = """\
import sys
import numpy as np
import treadle
import treadle.numpy as tnp

print("arguments", sys.argv, __name__, __file__)

@treadle.jit
def step(x):
    return tnp.sin(x)

print(step(np.ones(3, np.float32)).shape)
"""


def run(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m treadle` in a folder, with further environment variables."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("TREADLE_")}
    variables = {**known, **environment(1), "NO_COLOR": "1", **more}
    command = [sys.executable, "-m", "treadle", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=variables)


def traced(text: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(text)
    return run("trace", "program.py", *arguments, cwd=folder)


def test_a_program_is_run_and_two_files_are_written(tmp_path: Path) -> None:
    done = traced(PROGRAM, tmp_path, "--steps", "3")
    assert done.returncode == 0, done.stderr
    file = tmp_path / "program.py"
    assert done.stdout.splitlines() == [
        f"arguments ['program.py', '--steps', '3'] __main__ {file}",
        "(3,)",
    ]
    assert str(tmp_path / "program.treadle.html") in done.stderr
    assert str(tmp_path / "program.perfetto.json") in done.stderr
    assert (tmp_path / "program.treadle.html").read_text().startswith("<!DOCTYPE html>")
    events = json.loads((tmp_path / "program.perfetto.json").read_text())["traceEvents"]
    assert "stage step" in [event["name"] for event in events]


def test_the_files_go_to_a_folder(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import os; os.chdir('/')")
    (tmp_path / "out").mkdir()
    done = run("trace", "--out", "out", "program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted([each.name for each in (tmp_path / "out").iterdir()]) == [
        "program.perfetto.json",
        "program.treadle.html",
    ]


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("raise SystemExit(7)", 7),
        ("sys.exit()", 0),
        ("sys.exit('a message')", 1),
        ("1 / 0", 1),
        ("f(1", 1),
    ],
)
def test_the_exit_code_is_the_program_s(end: str, code: int, tmp_path: Path) -> None:
    done = traced(f"import sys\n{end}\n", tmp_path)
    assert done.returncode == code
    assert (tmp_path / "program.treadle.html").exists() == (end != "f(1")  # it did not begin
    command = [sys.executable, str(tmp_path / "program.py")]
    variables = {**os.environ, **environment(1)}
    plain = subprocess.run(command, capture_output=True, text=True, env=variables)
    lines = [each for each in done.stderr.splitlines() if not each.startswith("treadle trace: ")]
    assert lines == plain.stderr.splitlines()
    assert code == plain.returncode


def test_mistakes_of_usage_have_the_exit_code_2(tmp_path: Path) -> None:
    for arguments in ((), ("heal",), ("trace",), ("doctor", "--jsn"), ("trace", "none.py")):
        assert run(*arguments, cwd=tmp_path).returncode == 2
    assert "cannot read none.py" in run("trace", "none.py", cwd=tmp_path).stderr
    (tmp_path / "program.py").touch()
    done = run("trace", "--out", "nowhere", "program.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot write to the folder nowhere" in done.stderr


def test_help_names_both_commands(tmp_path: Path) -> None:
    done = run("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "doctor" in done.stdout
    assert "trace" in done.stdout


def test_a_program_of_jax_is_traced_behind_the_hook(tmp_path: Path) -> None:
    pytest.importorskip("treadle_jax")
    program = "import jax\nstep = jax.jit(lambda x: x + 1)\nprint(step(1.0), jax.__name__)\n"
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "-m", "treadle_jax", "-m", "treadle", "trace", "program.py"]
    variables = {**os.environ, **environment(1)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2.0 jax\n"
    assert "stage <lambda>" in (tmp_path / "program.perfetto.json").read_text()


IN_PROCESSES = """\
import treadle
import treadle.numpy as tnp
treadle.distributed.initialize(initialization_timeout=60, shutdown_timeout_seconds=60)
print(treadle.jit(lambda x: tnp.sin(x))(1.0))
"""


def test_each_of_several_processes_writes_its_part(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(IN_PROCESSES)
    port = starting.free_port()
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "treadle", "trace", "program.py"],
            cwd=tmp_path,
            env=starting.environment(2, number, port, 1),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for number in range(2)
    ]
    try:
        outputs = [each.communicate(timeout=120)[0] for each in started]
    finally:
        for each in started:
            each.kill()
    assert [each.returncode for each in started] == [0, 0], outputs
    parts = [f"program.process{number}.treadle.json" for number in range(2)]
    for number in range(2):
        assert (tmp_path / f"program.process{number}.treadle.html").exists()
        assert (tmp_path / f"program.process{number}.perfetto.json").exists()
    done = run("report", *parts, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "program.py, 2 processes" in (tmp_path / "report.treadle.html").read_text()


def test_parts_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "part.json").write_text("{}")
    (tmp_path / "text.json").write_text("no JSON")
    for part in ("none.json", "part.json", "text.json"):
        done = run("report", part, cwd=tmp_path)
        assert done.returncode == 2
        assert f"cannot read {part}" in done.stderr


NO_GPU = pytest.mark.cpu  # nothing is wrong with the machine under test


@NO_GPU
def test_the_doctor_finds_nothing_here(tmp_path: Path) -> None:
    done = run("doctor", cwd=tmp_path, TREADLE_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("the installation: nothing to say\n")
    assert not (tmp_path / "cache").exists()  # it looks, and leaves everything as it was


@NO_GPU
def test_the_doctor_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    wrong = {
        "TREADLE_CACHE_DIR": str(tmp_path / "file" / "cache"),
        "TREADLE_ENABLE_X46": "1",
        "PYTHONWARNINGS": "ignore",
    }
    done = run("doctor", "--json", cwd=tmp_path, **wrong)
    assert done.returncode == 1, done.stderr
    report = Report.of_json(done.stdout)
    kinds = {"doctor.cache_unwritable", "doctor.variable_unknown"}
    assert {each.kind for each in report.findings()} == kinds
    (unknown,) = report.findings("doctor.variable_unknown")
    assert "did you mean 'TREADLE_ENABLE_X64'?" in unknown.what
    assert unknown.code == "unset TREADLE_ENABLE_X46"


@NO_GPU
def test_a_faked_gpu_without_a_plugin_is_found(tmp_path: Path) -> None:
    command = tmp_path / "nvidia-smi"
    command.write_text("#!/bin/sh\necho '0, NVIDIA H200, 1, 143771, 580.65.06'\n")
    command.chmod(0o755)
    done = run("doctor", cwd=tmp_path, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == 1
    assert "doctor.plugin_missing" in done.stdout
    assert 'python -m pip install "jax-cuda13-plugin[with-cuda]==' in done.stdout


def test_it_says_how_to_install_what_it_needs(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['treadle_insight'] = None\n"
        "from treadle.__main__ import main; sys.exit(main(['doctor']))"
    )
    variables = {**os.environ, **environment(1)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=variables)
    assert done.returncode == 2
    assert "python -m pip install packages/insight" in done.stderr
