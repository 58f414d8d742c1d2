"""Unrolled loops: which loop, how many copies, what flows between them, and the loop that replaces it."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import numpy as np
import pytest

from conformance.insight.programs import (
    line_of,
    only,
    report_in_thread,
    report_of,
    report_under_jax,
    run_program,
)
from treadle_insight import Finding, Report, loops_of, report_on
from treadle_insight.subject import Subject
from treadle_ir.rewrite import inline
from treadle_ir.text import parse_program, print_program

pytestmark = pytest.mark.installed

HEAD = """\
import treadle
import treadle.numpy as tnp

"""


def program(body: str, call: str = "f(tnp.ones(3))", transformed: str = "f") -> str:
    """Return a program that defines `f`, calls it, and reports on it."""
    function, _, args = call.partition("(")
    report = f"treadle.explain({transformed.replace('f', function)})({args}"
    value = f"{transformed.replace('f', function)}({args}"
    return HEAD + textwrap.dedent(body) + f"\nresult = {value}\nreport = {report}\n"


STEPS = """\
def f(x):
    for i in range(300):
        x = tnp.sin(x) * 1.5
        x = x + tnp.cos(x)
    return x
"""
LAYERS = """\
def f(params, h):
    for w, b in params:
        h = tnp.tanh(h @ w + b)
    return h

params = [(tnp.ones((3, 3)) / 9, tnp.ones(3)) for _ in range(40)]
"""
NUMBERED = """\
def f(x, ws, scale):
    for k in range(len(ws)):
        x = tnp.sin(x @ ws[k]) * scale
    return x

ws = [tnp.ones((3, 3)) / 9 for _ in range(40)]
"""
NESTED = """\
def f(x):
    for i in range(20):
        for j in range(5):
            x = tnp.sin(x) * (i + j)
        x = x / tnp.linalg.norm(x)
    return x
"""
HELPER = """\
def layer(w, b, h):
    return tnp.tanh(h @ w + b)

def f(params, h):
    for w, b in params:
        h = layer(w, b, h)
    return h

params = [(tnp.ones((3, 3)) / 9, tnp.ones(3)) for _ in range(40)]
"""
COMPREHENSION = """\
def f(x):
    xs = [tnp.sin(x + i) for i in range(100)]
    return tnp.stack(list(xs)).sum(0)
"""
ROWS = """\
def f(x, p, w):
    for i in range(100):
        x = tnp.sin(x * w) + p[i]
    return x
"""
TWO = """\
def f(x):
    y = x
    for i in range(60):
        x, y = tnp.sin(y), tnp.cos(x)
    return x + y
"""
CASES = {
    "steps": (program(STEPS), 5, ["300 copies of 4 operations, 100% of", "carried: `x` f32[3]"]),
    "layers": (
        program(LAYERS, "f(params, tnp.ones(3))"),
        5,
        ["40 copies", "carried: `h` f32[3]", "different in each: `params[i]`"],
    ),
    "numbered": (
        program(NUMBERED, "f(tnp.ones(3), ws, tnp.ones(()))"),
        5,
        ["carried: `x` f32[3]", "fixed: `scale`", "different in each: `ws[k]`"],
    ),
    "nested": (program(NESTED), 5, ["20 copies", "carried: `x` f32[3]", "different in each: `i`"]),
    "helper": (
        program(HELPER, "f(params, tnp.ones(3))"),
        8,
        ["40 copies", "carried: `h` f32[3]", "different in each: `params[i]`"],
    ),
    "comprehension": (
        program(COMPREHENSION),
        5,
        ["comprehension at", "100 copies of 2", "carried: nothing", "fixed: `x`", "each: `i`"],
    ),
    "rows": (
        program(ROWS, "f(tnp.ones(3), tnp.ones((100, 3)), tnp.ones(3))"),
        5,
        ["100 copies", "carried: `x` f32[3]", "fixed: `w`, `p`", "different in each: `p[i]`"],
    ),
    "two": (program(TWO), 6, ["carried: `x` f32[3], `y` f32[3]"]),
}


def loops(report: Report) -> tuple[Finding, ...]:
    return report.findings("loop.unrolled")


def of_line(report: Report, line: int) -> Finding:
    """Return the finding about the loop in a line."""
    found = [x for x in loops(report) if x.place is not None and x.place.line == line]
    assert len(found) == 1, report
    return found[0]


def fixed(text: str, finding: Finding) -> str:
    """Return a program whose loop has been replaced by the code of the finding."""
    assert finding.place is not None
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if getattr(node, "lineno", 0) != finding.place.line:
            continue
        assert isinstance(node, ast.stmt | ast.expr)
        assert node.end_lineno is not None
        if isinstance(node, ast.For):
            code = textwrap.indent(finding.code, " " * node.col_offset).splitlines()
            return "\n".join([*lines[: node.lineno - 1], *code, *lines[node.end_lineno :], ""])
        if isinstance(node, ast.ListComp):
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = (
                line[: node.col_offset] + finding.code + line[node.end_col_offset :]
            )
            return "\n".join([*lines, ""])
    raise AssertionError("no loop in that line")


@pytest.mark.parametrize("case", CASES)
def test_the_loop_and_its_names(case: str, tmp_path: Path) -> None:
    text, line, said = CASES[case]
    finding = of_line(report_of(text, tmp_path), line)
    for each in said:
        assert each in finding.what
    assert finding.certain
    assert len(str(finding).splitlines()) <= 10


@pytest.mark.parametrize("case", CASES)
def test_its_code_removes_the_finding_and_keeps_the_result(case: str, tmp_path: Path) -> None:
    text, line, _ = CASES[case]
    before = run_program(text, tmp_path)
    finding = of_line(before["report"], line)
    after = run_program(fixed(text, finding), tmp_path, "fixed.py")
    assert not loops(after["report"]), after["report"]
    np.testing.assert_allclose(after["result"], before["result"], rtol=2e-5, atol=1e-6)


def gradient(text: str) -> str:
    """Return the same program with the gradient of its function."""
    before, after = text.rsplit("\nresult = ", 1)
    call = after.splitlines()[0].removeprefix("f(")
    function = "treadle.grad(lambda *a: f(*a).sum(), 0)"
    return f"{before}\nresult = {function}({call}\nreport = treadle.explain({function})({call}\n"


@pytest.mark.parametrize("case", ["steps", "layers", "helper", "rows", "comprehension"])
def test_its_code_removes_the_finding_from_the_gradient(case: str, tmp_path: Path) -> None:
    text, line, _ = CASES[case]
    before = run_program(gradient(text), tmp_path)
    finding = of_line(before["report"], line)
    after = run_program(fixed(gradient(text), finding), tmp_path, "fixed.py")
    assert not loops(after["report"]), after["report"]
    leaves = before["treadle"].tree.leaves
    for one, other in zip(leaves(after["result"]), leaves(before["result"]), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)


def test_a_function_that_cannot_be_traced_twice(tmp_path: Path) -> None:
    once = "    ran.append(0)\n    assert len(ran) == 1\n    for w, b in params:"
    text = HEAD + "ran = []\n" + HELPER.replace("    for w, b in params:", once)
    text += "report = treadle.explain(f)(params, tnp.ones(3))\n"
    finding = only(report_of(text, tmp_path), "loop.unrolled")
    assert not finding.certain
    assert "at program.py:6 were repeated: 40 copies" in finding.what


@pytest.mark.parametrize("case", ["steps", "layers", "nested", "helper", "numbered"])
def test_its_gradient(case: str, tmp_path: Path) -> None:
    text, line, said = CASES[case]
    finding = of_line(report_of(gradient(text), tmp_path), line)
    assert " copies of " in finding.what.partition(" and ")[2]  # of the backward pass
    carried = next(each for each in said if "carried" in each)
    assert carried in finding.what


WRAPPED = {
    "jit": "treadle.jit(f)",
    "vmap": "treadle.vmap(f)",
    "in the body of a scan": "lambda x: treadle.lax.scan(lambda c, _: (f(c), None), x, None, 4)[0]",
    "in a branch": "lambda x: treadle.lax.cond(x.sum() > 0, f, lambda x: x, x)",
    "shard_map": (
        "treadle.shard_map(f, mesh=treadle.make_mesh((1,), ('a',)), "
        "in_specs=treadle.P(), out_specs=treadle.P())"
    ),
}


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_under_transformations(wrapped: str, tmp_path: Path) -> None:
    args = "tnp.ones((2, 3))" if wrapped == "vmap" else "tnp.ones(3)"
    text = HEAD + STEPS + f"\nreport = treadle.explain({WRAPPED[wrapped]})({args})\n"
    finding = only(report_of(text, tmp_path), "loop.unrolled")
    assert finding.place is not None
    assert finding.place.line == 5
    assert "300 copies" in finding.what
    assert "carried: `x`" in finding.what


def test_one_call_of_a_library(tmp_path: Path) -> None:
    text = HEAD + "def f(c, x):\n    return tnp.polyval(c, x, unroll=128)\n\n"
    text += "report = treadle.explain(f)(tnp.ones(128), tnp.ones(3))\n"
    finding = only(report_of(text, tmp_path), "loop")
    assert finding.what.startswith("one call of tnp.polyval at program.py:5 was unrolled")
    assert "128 copies" in finding.what


@pytest.mark.parametrize("case", ["steps", "helper", "comprehension"])
def test_under_the_name_of_jax(case: str, tmp_path: Path) -> None:
    text, line, said = CASES[case]
    found = [x for x in report_under_jax(text, tmp_path).findings() if line_of(x) == line]
    assert [x.kind for x in found] == ["loop.unrolled"]
    for each in said:
        assert each in found[0].what


def test_in_a_thread(tmp_path: Path) -> None:
    report = report_in_thread(CASES["helper"][0], tmp_path)
    assert len(loops(report)) == 1


SILENT = {
    "straight": "def f(x):\n    return tnp.tanh(x * x).sum() + (x + x).sum()\n",
    "short": "def f(x):\n    for i in range(3):\n        x = tnp.sin(x)\n    return x\n",
    "tree.map": (
        "def f(x):\n    ws = [x] * 100\n"
        "    return treadle.tree.map(lambda w: tnp.sin(w * 3) - 1, ws)[0]\n"
    ),
    "different layers": (
        "def f(x):\n    for n in range(3, 40):\n        x = tnp.tanh(x[:1] * tnp.ones(n)) + 1\n    return x\n"
    ),
    "scan": (
        "def f(x):\n    return treadle.lax.fori_loop(0, 300, lambda i, x: tnp.sin(x) * i, x)\n"
    ),
    "svd": "def f(x):\n    return tnp.linalg.svd(x * tnp.ones((3, 3)))[1]\n",
    "linear algebra": "def f(x):\n    return treadle.scipy.linalg.expm(x * tnp.eye(3))\n",
    "special": "def f(x):\n    return treadle.scipy.special.betainc(x, x, x / 2)\n",
    "normal": "def f(x):\n    return treadle.random.normal(treadle.random.key(0), (3,)) + x\n",
    "fft": "def f(x):\n    return tnp.fft.fft(x)\n",
    "median": "def f(x):\n    return tnp.median(x) + tnp.interp(x, x, x)\n",
    "sum": "def f(x):\n    return tnp.sin(x) + sum([x] * 30)\n",
}


@pytest.mark.parametrize("case", SILENT)
def test_programs_without_unrolled_loops(case: str, tmp_path: Path) -> None:
    assert not loops(report_of(program(SILENT[case]), tmp_path))


def test_a_loop_around_the_report_is_another_loop(tmp_path: Path) -> None:
    text = HEAD + SILENT["tree.map"] + "\nfor _ in range(2):\n"
    text += "    report = treadle.explain(f)(tnp.ones(3))\n"
    assert not loops(report_of(text, tmp_path))


def test_programs_that_are_read_from_text(tmp_path: Path) -> None:
    names = run_program(CASES["steps"][0], tmp_path)
    traced = names["treadle"].jit(names["f"]).trace(names["tnp"].ones(3))
    read = parse_program(print_program(traced.program, locations=True))
    finding = only(report_on(Subject.of_program(read)), "loop.unrolled")
    assert "300 copies" in finding.what
    assert not loops_of(inline(names["treadle"].jit(lambda x: x + 1).trace(1.0).program))


def test_a_prototype_of_advice(tmp_path: Path) -> None:
    names = run_program(CASES["steps"][0], tmp_path)
    traced = names["treadle"].jit(names["f"]).trace(names["tnp"].ones(3))
    (loop,) = loops_of(traced.program)
    assert (loop.main.copies, loop.main.period, loop.share) == (300, 4, 1.0)
    assert str(loop.place) == "program.py:5"
