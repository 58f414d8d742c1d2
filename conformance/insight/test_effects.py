"""Effects while a function is traced: each is reported at its line, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import Run, everywhere, only, report_of

PROGRAM = """\
import datetime, random, time
from dataclasses import dataclass, field
from random import random as draw
import numpy as np
import treadle
import treadle.numpy as tnp

log, seen, table = [], set(), {{}}
rng = np.random.default_rng(0)
n = 0
class Model:
    n = 0
    def __init__(self):
        self.items = []
    def step(self, x):
        self.n += 1
        return x
    def add(self, x):
        self.items.append(x)
        return x
model = Model()
{before}
def f(x):
    {body}
    return x
with treadle.watch("effect") as report:
    treadle.jit({function})(tnp.ones(3))
"""
# The kind, the body of the function, and the line that is named, if it is not the body's.
EFFECTS = {
    "append": ("append", "log.append(x)"),
    "extend": ("append", "log.extend([1])"),
    "add to a set": ("append", "seen.add(1)"),
    "update a dict": ("append", "table.update(a=1)"),
    "an attribute's list": ("append", "model.add(x)", "self.items.append(x)"),
    "a global's attribute": ("append", "model.items.append(x)"),
    "print": ("print", 'print("x", x)'),
    "random": ("random", "x = x * random.random()"),
    "bare random": ("random", "x = x * draw()"),
    "uniform": ("random", "x = x * random.uniform(0, 1)"),
    "choice": ("random", "x = x * random.choice([1, 2])"),
    "numpy's rand": ("random", "x = x * np.random.rand()"),
    "numpy's normal": (
        "random",
        "noise = np.random.normal(size=3); x = x * noise",
        "noise = np.random.normal(size=3); x = x * noise",
    ),
    "generator": ("random", "x = x * rng.normal()"),
    "time": ("clock", "x = x + time.time()"),
    "perf_counter": (
        "clock",
        "t = time.perf_counter(); x = x + t",
        "t = time.perf_counter(); x = x + t",
    ),
    "now": ("clock", "x = x + datetime.datetime.now().second"),
    "attribute": ("attribute", "model.step(x)", "self.n += 1"),
    "attribute set to a traced array": ("attribute", "model.h = x"),
    "global": ("global", "global n; n += 1"),
}
SILENT = {
    "debug.print": 'treadle.debug.print("{{}}", x)',
    "debug.callback": "treadle.debug.callback(lambda x: None, x)",
    "local list": "found = []; found.append(x); x = found[0]",
    "inner function's list": "found = []; g = lambda y: found.append(y); g(x)",
    "new object": "m = Model(); m.add(x); m.step(x)",
    "dataclass": "d = Point(x, [1]); d.move(); x = d.x",
    "own generator": "r = np.random.default_rng(0); x = x * r.normal()",
    "own random": "r = random.Random(0); x = x * r.random()",
    "treadle.random": "x = x * treadle.random.normal(treadle.random.key(0), x.shape)",
    "numpy": "x = x * np.linspace(0, 1, 3) + np.asarray([1, 2, 3]).sum()",
    "read only": "x = x * len(log) + n",
    "not reached": "x = x if True else np.random.rand()",
    "restored": "model.n, old = 5, model.n; model.n = old",
    "computed when first needed": "model.cache = np.ones(3)",
    "global that is set to what it is": "global n; n = n + 0",
    "format": 'text = "{{}}".format(1); parts = ["a"]; parts.append(text); "".join(parts)',
}
BEFORE = """\
@dataclass
class Point:
    x: object
    more: list = field(default_factory=list)
    def __post_init__(self):
        self.more.append(2)
        self.size = 1
    def move(self):
        self.x = self.x * 2
        self.size += 1
"""


def program(body: str, function: str = "f") -> str:
    """Return the program with this body of its function."""
    return PROGRAM.format(before=BEFORE, body=body.replace("; ", "\n    "), function=function)


@pytest.mark.installed
@pytest.mark.parametrize("name", EFFECTS)
def test_an_effect_is_reported_at_its_line(name: str, tmp_path: Path) -> None:
    kind, body, *line = EFFECTS[name]
    finding = only(report_of(program(body), tmp_path), "effect")
    assert finding.kind == f"effect.{kind}"
    assert "once, while f was traced" in finding.what
    assert finding.place is not None
    assert finding.place.text in (line[0] if line else body).split("; ")


@pytest.mark.installed
@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_of_what_is_no_effect(name: str, tmp_path: Path) -> None:
    report = report_of(program(SILENT[name].format()), tmp_path)
    assert not report.findings(), report


@pytest.mark.installed
@pytest.mark.parametrize(
    "body",
    [
        "x = x * random.random()",
        "noise = random.random(); x = x * noise",
        "x = x * np.random.rand()",
    ],
)
def test_the_number_that_every_call_uses_is_said(body: str, tmp_path: Path) -> None:
    text = program(body).replace("with treadle", "random.seed(0); np.random.seed(1)\nwith treadle")
    value = "0.417" if "np" in body else "0.844"
    finding = only(report_of(text, tmp_path), "effect.random")
    assert "give each call a new key" in finding.fix
    assert "treadle.random.split(key)" in finding.code
    said = finding.what
    assert said.startswith(
        ("`random.random()` at program.py:", "`np.random.rand()` at program.py:")
    )
    assert said.endswith(f"was called once, while f was traced; every call uses {value}.")


@pytest.mark.installed
@pytest.mark.parametrize(
    "function",
    [
        "treadle.vmap(f)",
        "treadle.grad(lambda x: f(x).sum())",
        "lambda x: treadle.lax.scan(lambda c, _: (f(c), None), x, None, length=3)[0]",
        "lambda x: treadle.lax.cond(True, f, lambda x: x, x)",
        "treadle.checkpoint(f)",
        "lambda x: treadle.jit(f)(x)",
        "treadle.shard_map(f, mesh=treadle.make_mesh((1,), ('i',)), in_specs=treadle.P('i'), out_specs=treadle.P('i'))",
    ],
)
def test_an_effect_is_reported_under_transformations(function: str, tmp_path: Path) -> None:
    finding = only(report_of(program('print("x")', function), tmp_path), "effect")
    assert finding.kind == "effect.print"
    assert finding.place is not None
    assert finding.place.text == 'print("x")'


@pytest.mark.installed
@everywhere
def test_an_effect_is_reported_everywhere(run: Run, tmp_path: Path) -> None:
    report = run(program("log.append(x)"), tmp_path)
    assert [each.kind for each in report.findings()] == ["effect.append"]
    assert "leave `log` as it is" in report.findings()[0].what


@pytest.mark.installed
def test_the_profile_hook_is_as_it_was(tmp_path: Path) -> None:
    before = """\
import sys
heard = []
def hook(frame, event, argument):
    heard.append(event)
sys.setprofile(hook)
"""
    after = "\nafter = sys.getprofile()\nsys.setprofile(None)\nassert after is hook and len(heard) > 100\n"
    report = report_of(before + program("log.append(x)") + after, tmp_path)
    assert report.findings("effect.append")


@pytest.mark.installed
def test_an_exception_in_a_trace_leaves_no_hook(tmp_path: Path) -> None:
    text = """\
import sys, treadle
def f(x):
    raise ValueError("a")
with treadle.watch("effect", "frozen", "clock") as report:
    try:
        treadle.jit(f)(1.0)
    except ValueError:
        pass
    else:
        raise AssertionError
assert sys.getprofile() is None
"""
    assert not report_of(text, tmp_path).findings()


@pytest.mark.installed
def test_a_thread_that_traces_when_the_watch_ends_loses_its_hook(tmp_path: Path) -> None:
    text = """\
import sys, threading, treadle
began, ended, hooks = threading.Event(), threading.Event(), []
def later():
    return sys.getprofile()
def f(x):
    hooks.append(sys.getprofile())
    began.set()
    ended.wait()
    later()
    hooks.append(later())
    return x
thread = threading.Thread(target=lambda: treadle.jit(f)(1.0))
report = treadle.watch("effect", "frozen", "clock", "leak")
with report:
    thread.start()
    began.wait()
ended.set()
thread.join()
assert hooks[0] is not None
assert hooks[1] is None
"""
    assert not report_of(text, tmp_path).findings("frozen")
