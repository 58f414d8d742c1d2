"""Traced arrays that are kept: each way to keep one is reported with its holder; programs that keep none are silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import Run, everywhere, only, report_of

PROGRAM = """\
import treadle
import treadle.numpy as tnp

kept = []
class Model: pass
model = Model()
def generate(x):
    while True:
        yield x
def inner(x):
    return tnp.sin(x)
def f(x):
    y = tnp.cos(x)
    {body}
    return y
with treadle.watch({parts}) as report:
    treadle.jit({function})(tnp.ones(3))
"""
LEAKS = {
    "list": ("kept.append(y)", "in a list, in the variable kept of module __main__"),
    "attribute": ("model.h = y", "in a Model, in the variable model of module __main__"),
    "closure": ("kept.append(lambda: y)", "in a variable that a function closes over"),
    "generator": ("g = generate(y); next(g); kept.append(g)", "in a generator, in a list"),
    "global": ("global z; z = y", "in the variable z of module __main__"),
    "exception": (
        "try: raise ValueError(1)\n    except ValueError as error: kept.append(error)",
        "in a variable of f, which an exception's traceback",
    ),
}
CLEAN = {
    "nothing": "pass",
    "jit": "y = treadle.jit(inner)(y)",
    "grad": "y = treadle.grad(lambda x: inner(x).sum())(y)",
    "hessian": "y = treadle.hessian(lambda x: inner(x).sum())(y)",
    "scan": "y = treadle.lax.scan(lambda c, _: (inner(c), None), y, None, length=3)[0]",
    "while": "y = treadle.lax.while_loop(lambda c: c.sum() < 3, lambda c: c + 1, y)",
    "cond": "y = treadle.lax.cond(True, inner, lambda x: x, y)",
    "vmap": "y = treadle.vmap(inner)(y)",
    "jvp": "y = treadle.jvp(inner, (y,), (y,))[1]",
    "vjp": "y = treadle.vjp(inner, y)[1](y)[0]",
    "linearize": "y = treadle.linearize(inner, y)[1](y)",
    "checkpoint": "y = treadle.grad(lambda x: treadle.checkpoint(inner)(x).sum())(y)",
    "custom derivative": "y = treadle.nn.relu(y)",
    "linear algebra": "y = y * tnp.linalg.norm(y) * tnp.median(y)",
    "exception that is dropped": "try: raise ValueError(1)\n    except ValueError as error: again = error",
    "reference cycle": "cycle = [y]; cycle.append(cycle)",
}
ALL = '"leak", "frozen", "effect", "clock"'


def program(body: str, parts: str = '"leak"', function: str = "f") -> str:
    """Return the program with this body of its function."""
    return PROGRAM.format(body=body.replace("; ", "\n    "), parts=parts, function=function)


@pytest.mark.installed
@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_reported_with_its_holder(name: str, tmp_path: Path) -> None:
    body, held = LEAKS[name]
    finding = only(report_of(program(body), tmp_path), "leak")
    assert finding.what.startswith(
        "A traced array f32[3] made at program.py:13 is kept after the trace of f has ended"
    )
    assert held in finding.what
    line = "".join([place.text for place in finding.where[1:]])
    assert line == {"list": body, "attribute": body, "global": "z = y"}.get(name, line)
    if name in ("list", "attribute"):
        assert f"`{body}` at program.py:14 keeps it." in finding.why


@pytest.mark.installed
def test_the_line_that_keeps_an_argument_is_named_and_no_weak_mark(tmp_path: Path) -> None:
    text = program("kept.append(x)").replace("(f)(tnp.ones(3))", "(f)(1.0)")
    finding = only(report_of(text, tmp_path), "leak")
    assert finding.what.startswith("A traced argument f32[] of f is kept")
    assert "`kept.append(x)` at program.py:14 keeps it." in finding.why


@pytest.mark.installed
@pytest.mark.parametrize(
    "body",
    [
        "parts = []; parts.append(y); kept.append(parts)",  # a list of the function's own
        "kept.append(y); model.h = y",  # two lines
        "kept.append(treadle.lax.neg(y)); y = kept[-1]",  # no line has the kept array by name
    ],
)
def test_no_line_is_named_where_it_is_not_certain(body: str, tmp_path: Path) -> None:
    finding = only(report_of(program(body), tmp_path), "leak")
    assert not [each for each in finding.why if "keeps it" in each]


@pytest.mark.installed
@pytest.mark.parametrize("name", CLEAN)
@pytest.mark.parametrize("parts", ['"leak"', ALL], ids=["leak", "all"])
def test_nothing_is_said_of_programs_that_keep_nothing(
    name: str, parts: str, tmp_path: Path
) -> None:
    report = report_of(program(CLEAN[name], parts), tmp_path)
    assert not report.findings("leak"), report


@pytest.mark.installed
@pytest.mark.parametrize(
    "function",
    [
        "treadle.vmap(f)",
        "treadle.grad(lambda x: f(x).sum())",
        "lambda x: treadle.lax.scan(lambda c, _: (f(c), None), x, None, length=3)[0]",
    ],
)
def test_a_leak_is_reported_under_transformations(function: str, tmp_path: Path) -> None:
    assert report_of(program("kept.append(y)", function=function), tmp_path).findings("leak")


@pytest.mark.installed
@everywhere
def test_a_leak_is_reported_everywhere(run: Run, tmp_path: Path) -> None:
    report = run(program("kept.append(y)"), tmp_path)
    assert [each.kind for each in report.findings()] == ["leak.tracer"]


@pytest.mark.installed
def test_the_setting_still_refuses(tmp_path: Path) -> None:
    text = program("kept.append(y)").replace(
        "    treadle.jit(f)", "    with treadle.checking_leaks():\n        treadle.jit(f)"
    )
    with pytest.raises(Exception, match="is kept after the trace has ended: in a list"):
        report_of(text, tmp_path)
