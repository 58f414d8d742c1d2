"""`python -m treadle_ir`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from treadle_ir.__main__ import main

TEXT = """\
treadle 1

program @main(%0: f32[2,3], %1: f32[3]) -> (f32[2]) {
  %2: f32[2] = dot_general %0, %1 {contracting=((1,), (0,))}
  %3: f32[2] = multiply %2, 0.5:f32
  %4: f32[2] = multiply %2, 0.5:f32
  %5: f32[2] = add %3, %4
  return %5
}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "program.txt"
    path.write_text(TEXT)
    return str(path)


def test_passes_are_run(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", file, "--passes", "cse,dce", "--verify"]) == 0
    assert capsys.readouterr().out == TEXT.replace(
        "  %4: f32[2] = multiply %2, 0.5:f32\n  %5: f32[2] = add %3, %4\n  return %5",
        "  %4: f32[2] = add %3, %3\n  return %4",
    )


def test_an_unknown_pass_is_a_mistake_of_usage(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["opt", file, "--passes", "cze"]) == 2
    assert "there is no pass 'cze'; did you mean" in capsys.readouterr().err


def test_the_cost_is_printed(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", file, "--json"]) == 0
    # 2·2·3 for the product, 2 for each of the three others; each operand is read, each result written
    assert json.loads(capsys.readouterr().out) == {
        "flops": 12 + 3 * 2,
        "bytes": (24 + 12 + 8) + 2 * (8 + 4 + 8) + 3 * 8,
        "exact": True,
        "peak_memory": 24 + 12 + 8 + 8 + 8,
    }
    assert main(["cost", file]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "18 operations, 108 bytes moved"
    assert lines[2].split()[:2] == ["12", "operations"]
    assert len(lines) == 2 + 4


def test_a_program_is_evaluated(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "ones.npy", np.ones(3, np.float32))
    arguments = ["[[1, 2, 3], [4, 5, 6]]", str(tmp_path / "ones.npy")]
    assert main(["run", file, *arguments]) == 0
    assert capsys.readouterr().out == "f32[2]: [ 6. 15.]\n"


def test_random_arguments_are_those_of_the_seed(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []
    for seed in ("1", "1", "2"):
        assert main(["run", file, "--seed", seed]) == 0
        seen.append(capsys.readouterr().out)
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["1"], "has 2 parameters, but there are 1 arguments"),
        (["x", "y"], "'x' is not an argument of type f32[2,3]"),
        (["1", "1"], "parameter %0 is f32[2,3], but the operand is f32[]"),
    ],
)
def test_arguments_that_do_not_fit(
    arguments: list[str], message: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", file, *arguments]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "fix: " in error


def test_types_without_random_arguments_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "program.txt"
    path.write_text("treadle 1\nprogram @main(%0: f32[n]) -> (f32[n]) {\n  return %0\n}")
    assert main(["run", str(path)]) == 1
    assert "no random arguments of type f32[n]" in capsys.readouterr().err


def test_programs_are_drawn(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dot", file]) == 0
    assert capsys.readouterr().out.startswith("digraph main {")
    assert main(["svg", file]) == 0
    assert capsys.readouterr().out.startswith("<svg ")
    assert main(["svg", file, "--most", "3"]) == 1
    assert "4 operations, which is more than 3" in capsys.readouterr().err


def test_differences_have_the_exit_code_1(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.txt"
    other.write_text(TEXT.replace("%4: f32[2] = multiply", "%4: f32[2] = divide"))
    assert main(["diff", file, file]) == 0
    assert capsys.readouterr().out == "the programs are equal\n"
    assert main(["diff", file, str(other)]) == 1
    assert capsys.readouterr().out.startswith("@main, equation 3: the operation\n")
    assert main(["diff", file, str(tmp_path / "none")]) == 2


def test_files_that_are_not_programs_have_the_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "program.txt"
    path.write_text(TEXT.replace("%5: f32[2]", "%5: f32[9]"))
    assert main(["cost", str(path)]) == 2
    assert "line 7" in capsys.readouterr().err
    path.write_bytes(b"\xff\xfe")
    assert main(["cost", str(path)]) == 2
    assert main(["cost", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err
    for arguments in ([], ["burn"], ["opt"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2


def test_standard_input_is_read_and_only_numpy_is_needed(file: str) -> None:
    code = (
        "import sys; from treadle_ir.__main__ import main; main(['opt', '-']);"
        "print(sorted({n.partition('.')[0] for n in sys.modules} & {'treadle', 'jaxlib', 'scipy', 'pygments'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=TEXT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("treadle 1\n")
    assert done.stdout.endswith("[]\n")
