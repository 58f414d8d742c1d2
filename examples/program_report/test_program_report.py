"""The example as its readers run it: in a process that has treadle-ir and nothing above it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

FOLDER = Path(__file__).parent
LOSS = FOLDER / "loss.treadle"

# Everything that treadle-ir may not need raises ImportError.
ALONE = """
import sys
for name in ("jaxlib", "scipy", "treadle", "treadle_autodiff", "treadle_batching", "treadle_compiler",
             "treadle_numpy", "treadle_runtime"):
    sys.modules[name] = None
sys.path.insert(0, sys.argv.pop(1))
import program_report
sys.exit(program_report.main(sys.argv[1:]))
"""


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The example's command, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", ALONE, str(FOLDER), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_report_says_what_devices_exchange() -> None:
    """`sharded.treadle` is a shard_map over 4 x 2 devices: bytes by hand, from the formulas of the ring algorithms."""
    done = run(FOLDER / "sharded.treadle")
    assert (done.returncode, done.stderr) == (0, "")
    assert "each of 8 devices (data: 4, model: 2)" in done.stdout
    rows = [
        line.split()
        for line in done.stdout.splitlines()
        if line.startswith(("all_", "reduce_s", "permute"))
    ]
    assert [(row[0], row[1], row[2], row[5], row[6], row[7]) for row in rows] == [
        ("all_reduce", "(model)", "2", "2.05", "kB", "1"),
        ("all_gather", "(data)", "4", "6.14", "kB", "1"),
        ("reduce_scatter", "(data)", "4", "6.14", "kB", "1"),
        ("permute", "(data)", "4", "2.05", "kB", "1"),
        ("all_reduce", "(data)", "4", "6", "B", "3"),
    ]


def test_the_report_counts_by_line(tmp_path: Path) -> None:
    """The report counts by line."""
    picture = tmp_path / "loss.svg"
    done = run(LOSS, "--svg", picture)
    assert (done.returncode, done.stderr) == (0, "")
    rows = {
        line.split()[0]: line.split()
        for line in done.stdout.splitlines()
        if line.startswith("train")
    }
    assert rows["train.py:8"][1:4] == ["2", "26", "M"]  # 2 * 64 * 784 * 256 + 2 * 64 * 256 * 10
    assert rows["train.py:15"][1:3] == ["1", "640"]
    assert "peak memory: 1.21 MB, while equation 2 (add) runs, train.py:9" in done.stdout
    boxes = ET.parse(picture).getroot().findall("{http://www.w3.org/2000/svg}text")
    titles = [box.text for box in boxes if box.get("font-weight") == "bold"]
    assert titles.count("dot_general") == 2
    assert titles[-1] == "results"


def chain(length: int, lines: int) -> str:
    """A chain of sines, spread over so many lines of code."""
    body = "".join(
        f'  %{i + 1}: f32[4] = sine %{i} @ "long.py":{i * lines // length + 1}\n'
        for i in range(length)
    )
    return f"treadle 1\nprogram @main(%0: f32[4]) {{\n{body}  return %{length}\n}}\n"


def test_a_large_picture_is_grouped_by_line(tmp_path: Path) -> None:
    """A large picture is grouped by line."""
    text, picture = tmp_path / "long.treadle", tmp_path / "long.svg"
    for lines, first in ((7, "long.py:1"), (1000, "part 0")):
        text.write_text(chain(2000, lines))
        assert run(text, "--svg", picture).returncode == 0
        boxes = ET.parse(picture).getroot().findall("{http://www.w3.org/2000/svg}text")
        titles = [box.text for box in boxes if box.get("font-weight") == "bold"]
        assert len(titles) == 2 + min(lines, 60)
        assert first in titles


def test_a_damaged_file_is_answered_with_line_column_and_caret(tmp_path: Path) -> None:
    """A damaged file is answered with line column and caret."""
    damaged = tmp_path / "damaged.treadle"
    damaged.write_text(LOSS.read_text().replace("maximum %8", "maximun %8"))
    done = run(damaged)
    assert done.returncode == 2
    message = done.stderr.splitlines()
    assert message[0] == "error: line 7, column 21: there is no operation `maximun`"
    assert message[1] == f"  at {damaged}:7:21"
    assert message[3].index("^") == 6 + 20
    assert message[4] == "  fix: did you mean `maximum`?"


def test_no_file_gives_a_traceback(tmp_path: Path) -> None:
    """No file gives a traceback."""
    sys.path.insert(0, str(FOLDER))
    try:
        import program_report  # noqa: PLC0415 - a script next to this file
    finally:
        sys.path.remove(str(FOLDER))
    rng = random.Random(7)
    text = LOSS.read_text().encode()
    damaged = tmp_path / "damaged.treadle"
    codes = set()
    for _ in range(200):
        changed = bytearray(text)
        for _ in range(rng.choice((1, 1, 20))):
            changed[rng.randrange(len(changed))] = rng.choice(
                (rng.randrange(256), rng.randrange(32, 127))
            )
        damaged.write_bytes(bytes(changed))
        codes.add(program_report.main([str(damaged), "--svg", str(tmp_path / "out.svg")]))
    assert codes == {0, 2}
    assert program_report.main([str(tmp_path)]) == 2
    assert program_report.main([str(tmp_path / "absent")]) == 2


def test_the_text_of_a_staged_program_is_enough(tmp_path: Path) -> None:
    """The stored text `str(program)` is a complete program, though nothing but treadle-ir was imported."""
    stored = tmp_path / "stored.treadle"
    program = (
        "import sys, pathlib, numpy as np\n"
        "from treadle_ir import ArrayType, ops, stage\n"
        "vector = ArrayType((1000,), np.dtype(np.float32))\n"
        "program = stage(lambda x: [ops.sine(ops.multiply(x, x))], vector).program\n"
        "pathlib.Path(sys.argv[1]).write_text(str(program))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(stored)], check=True)
    done = run(stored)
    assert (done.returncode, done.stderr) == (0, "")
    assert "operations: multiply 1, sine 1" in done.stdout
