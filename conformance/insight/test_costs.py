"""The tables of `explain`: costs by line, memory at its peak by argument path and by name, static arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import report_of
from treadle_insight import Report, Table

pytestmark = pytest.mark.installed

PROGRAM = """\
import functools
import treadle
import treadle.numpy as tnp

table = tnp.ones((50, 50))

@functools.partial(treadle.jit, static_argnames=("n", "mode"))
def loss(params, x, n, mode="sum"):
    h = x @ params["w"]
    h = tnp.tanh(h)
    y = h @ table
    return y.sum() * n

params = {"w": tnp.ones((100, 50))}
report = treadle.explain(loss)(params, tnp.ones((200, 100)), 3, mode="mean")
"""


def table_of(report: Report, title: str) -> Table:
    (found,) = [each for each in report.tables if each.title.startswith(title)]
    return found


def test_costs_by_line(tmp_path: Path) -> None:
    table = table_of(report_of(PROGRAM, tmp_path), "cost by line")
    first, second, *_ = table.rows
    assert first[:3] == ('program.py:9  h = x @ params["w"]', "1", "2 Mflop")
    assert second[:3] == ("program.py:11  y = h @ table", "1", "1 Mflop")
    assert first[3] == "66%"
    assert len(table.rows) == 4


def test_what_is_alive_at_the_peak(tmp_path: Path) -> None:
    table = table_of(report_of(PROGRAM, tmp_path), "memory: at most 190 kB at program.py:10")
    values = {row[2]: row[:2] for row in table.rows}
    assert values == {
        "argument x": ("80 kB", "f32[200,100]"),
        "h": ("40 kB", "f32[200,50]"),
        "argument params['w']": ("20 kB", "f32[100,50]"),
        "table (captured)": ("10 kB", "f32[50,50]"),
    }


def test_lines_of_the_bodies_of_loops_and_of_branches(tmp_path: Path) -> None:
    text = """\
import treadle
import treadle.numpy as tnp

def f(x):
    def body(c, _):
        return c @ x, None
    y, _ = treadle.lax.scan(body, x, None, 7)
    return treadle.lax.cond(
        x.sum() > 0,
        lambda y: y @ y @ y,
        lambda y: y + 1,
        y,
    )

report = treadle.explain(f)(tnp.ones((50, 50)))
"""
    table = table_of(report_of(text, tmp_path), "cost by line")
    assert table.rows[0][:3] == ("program.py:6  return c @ x, None", "1", "1.8 Mflop")
    assert table.rows[1][:3] == ("program.py:10  lambda y: y @ y @ y,", "2", "500 kflop")


def test_static_arguments(tmp_path: Path) -> None:
    table = table_of(report_of(PROGRAM, tmp_path), "static arguments")
    assert table.rows == (("n", "int", "3"), ("mode", "str", "'mean'"))


def test_static_arguments_that_are_large_are_short(tmp_path: Path) -> None:
    text = PROGRAM.replace('mode="mean"', "mode='m' * 5000")
    table = table_of(report_of(text, tmp_path), "static arguments")
    assert len(table.rows[1][2]) < 50


def test_a_function_without_static_or_donated_arguments_has_two_tables(tmp_path: Path) -> None:
    text = "import treadle\nreport = treadle.explain(lambda x: x + 1)(1.0)\n"
    assert [x.title.partition(":")[0] for x in report_of(text, tmp_path).tables] == [
        "cost by line",
        "memory",
    ]


def test_text_is_limited(tmp_path: Path) -> None:
    lines = "".join([f"    x = tnp.sin(x) + {number}\n" for number in range(20)])
    text = f"import treadle, treadle.numpy as tnp\ndef f(x):\n{lines}    return x\n"
    report = report_of(text + "report = treadle.explain(f)(1.0)\n", tmp_path)
    assert "and 12 more" in str(report)


def test_programs_with_symbolic_sizes_have_no_costs(tmp_path: Path) -> None:
    text = """\
import treadle, treadle.numpy as tnp
from treadle import export
x = treadle.ShapeDtypeStruct(export.symbolic_shape("n, 3"), tnp.float32)
report = treadle.explain(treadle.jit(lambda x: tnp.sin(x).sum(), donate_argnums=0))(x)
"""
    report = report_of(text, tmp_path)
    assert [each.title for each in report.tables] == ["donated arguments"]
    assert str(report)
