"""The example as a user runs it: equal losses, collectives where there have to be some, less memory.

pytest examples/sharded_training
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
TITLES = ("data", "tensor", "fully sharded")

COMPARED = """
import json, re
import sharded_training as example
from sharded_training import layouts, model, np, random, treadle
from treadle.sharding import Mesh

state = treadle.jit(model.start)(random.key(0))
some = treadle.jit(model.batch, static_argnums=1)
batches = [some(key, 32) for key in random.split(random.key(1), 20)]
one = Mesh(np.array(treadle.devices()[:1]).reshape(1, 1), ("data", "model"))
print(json.dumps(example.trained(layouts.Layout("one", one, {}), state, batches)[1:5]))
"""


def run(*words: str) -> str:
    """Return the output of a process in the example's folder."""
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=300, cwd=FOLDER
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sharded") / "sharded.png"


@pytest.fixture(scope="module")
def printed(picture: Path) -> str:
    return run("sharded_training.py", "--plot", str(picture))


@pytest.fixture(scope="module")
def rows(printed: str) -> dict[str, list[float]]:
    """The table: the three numbers of each row."""
    lines = [re.split(r"  +", line) for line in printed.splitlines()]
    return {
        first: [float(cell.replace(",", "")) for cell in cells]
        for first, *cells in lines
        if first and len(cells) == len(TITLES)
    }


def test_losses_are_equal_and_fall(printed: str, rows: dict[str, list[float]]) -> None:
    for step in (1, 10, 20):
        losses = rows[f"loss, step {step}"]
        assert max(losses) - min(losses) < 1e-4
    assert rows["loss, step 20"][0] < rows["loss, step 10"][0] - 0.5 < rows["loss, step 1"][0] - 1
    differ = re.search(r"differ by (\S+) at most", printed)
    assert differ is not None
    assert (
        0 < float(differ[1]) < 1e-4
    )  # sums in another order; equal bits would be one layout three times


def test_losses_are_those_of_one_device(rows: dict[str, list[float]]) -> None:
    losses, counts, sent, parameters = json.loads(run("-c", COMPARED))
    assert abs(losses[-1] - rows["loss, step 20"][0]) < 1e-4
    assert (counts, sent) == ({}, 0)
    assert round(parameters / 1e3) == rows["kB of parameters"][0]


def test_each_layout_has_its_collectives(rows: dict[str, list[float]]) -> None:
    reduces, gathers = rows["all-reduce"], rows["all-gather"]
    assert all(count > 0 for count in reduces)
    assert reduces[1] > reduces[0]  # activations, too
    assert gathers[:2] == [0, 0]
    assert gathers[2] >= 20  # each parameter
    data, tensor, full = rows["kB sent in a step"]
    assert data == round(2 * 7 / 8 * (1616.384 + 0.004))  # every gradient and the loss, in a ring
    assert full > data
    assert tensor > 0


def test_each_device_has_less(rows: dict[str, list[float]]) -> None:
    for name in ("kB of parameters", "kB of arguments", "kB at the peak"):
        data, tensor, full = rows[name]
        assert data > tensor > full > 0, name
    assert rows["kB of parameters"][2] == pytest.approx(rows["kB of parameters"][0] / 8, abs=1)


def test_the_readme_shows_what_is_printed(rows: dict[str, list[float]]) -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name in ("kB of parameters", "all-gather", "all-reduce"):
        (line,) = re.findall(rf"^{name}  .*$", text, re.MULTILINE)
        assert [float(cell.replace(",", "")) for cell in line.removeprefix(name).split()] == rows[
            name
        ]


def test_it_is_drawn(printed: str, picture: Path) -> None:
    assert f"wrote {picture}" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
