"""program_report on the quickstart's own programs: its loss, the gradient, and one row per example."""

import sys
from pathlib import Path

import pytest

import treadle
import treadle.numpy as tnp
from treadle_ir.text import print_program

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "quickstart")]

import model  # noqa: E402 - the quickstart's
import program_report  # noqa: E402 - the script next to this file

PARAMETERS = model.init(treadle.random.key(0), 8, 8, 10)
IMAGE = tnp.zeros((8, 8))
IMAGES = tnp.zeros((5, 8, 8))
PROGRAMS = {
    "loss": treadle.make_jaxpr(model.loss)(PARAMETERS, IMAGE, 3),
    "gradient": treadle.make_jaxpr(treadle.grad(model.loss))(PARAMETERS, IMAGE, 3),
    "rows": treadle.make_jaxpr(treadle.vmap(treadle.grad(model.loss), in_axes=(None, 0, 0)))(
        PARAMETERS, IMAGES, tnp.arange(5)
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_reports_and_draws(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, picture = tmp_path / f"{name}.treadle", tmp_path / f"{name}.svg"
    file.write_text(print_program(PROGRAMS[name].program, locations=True))
    assert program_report.main([str(file), "--svg", str(picture)]) == 0
    report = capsys.readouterr().out
    assert "model.py" in report
    assert "dot_general" in report or "convolution" in report
    assert picture.read_text().startswith("<svg")
