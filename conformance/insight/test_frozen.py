"""Frozen values: each way to read one from outside of a function is reported once it has changed, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import Run, everywhere, only, report_of

PROGRAM = """\
from functools import partial
import numpy as np
import treadle
import treadle.numpy as tnp

{before}
with treadle.watch("frozen") as report:
    f(1.0)
    f(2.0)
    {change}
    f(1.0)
    f(1.0)
"""
GLOBAL = """\
scale = 10
@treadle.jit
def f(x):
    return x * scale
"""
CLOSURE = """\
def make(k):
    @treadle.jit
    def f(x):
        return x * k
    def change(new):
        nonlocal k
        k = new
    return f, change
f, change = make(3)
"""
MODEL = """\
class Model:
    def __init__(self, scale):
        self.scale = scale
model = Model(10)
"""
# A program, the change, and the parts of the sentence: the path, the value before, the value now, the text of the line.
CHANGED = {
    "global": (GLOBAL, "scale = 99", "scale", "10", "99", "return x * scale"),
    "none": (
        GLOBAL.replace("scale = 10", "scale = None").replace(
            "x * scale", "x if scale is None else 0"
        ),
        "scale = 1",
        "scale",
        "None",
        "1",
        "return x if scale is None else 0",
    ),
    "nan is a value": (
        GLOBAL.replace("scale = 10", "scale = float('nan')"),
        "scale = 1.0",
        "scale",
        "nan",
        "1.0",
        "return x * scale",
    ),
    "another type": (GLOBAL, "scale = 10.0", "scale", "10", "10.0", "return x * scale"),
    "scalar": (
        GLOBAL.replace("= 10", "= np.float32(10)"),
        "scale = np.float32(2)",
        "scale",
        "10.0",
        "2.0",
        "return x * scale",
    ),
    "closure": (CLOSURE, "change(7)", "k", "3", "7", "return x * k"),
    "helper": (
        GLOBAL.replace("@treadle.jit\ndef f", "def g") + "\nf = treadle.jit(lambda x: g(x))",
        "scale = 99",
        "scale",
        "10",
        "99",
        "return x * scale",
    ),
    "helper's closure": (
        CLOSURE.replace("    @treadle.jit\n", "") + "g = f\nf = treadle.jit(lambda x: g(x))",
        "change(7)",
        "k",
        "3",
        "7",
        "return x * k",
    ),
    "function in a list": (
        CLOSURE.replace("    @treadle.jit\n", "") + "gs = [f]\nf = treadle.jit(lambda x: gs[0](x))",
        "change(7)",
        "k",
        "3",
        "7",
        "return x * k",
    ),
    "inner function": (
        GLOBAL.replace("return x * scale", "inner = lambda y: y * scale\n    return inner(x)"),
        "scale = 99",
        "scale",
        "10",
        "99",
        "inner = lambda y: y * scale",
    ),
    "inner function's closure": (
        CLOSURE.replace("return x * k", "return (lambda y: y * k)(x)"),
        "change(7)",
        "k",
        "3",
        "7",
        "return (lambda y: y * k)(x)",
    ),
    "generator": (
        GLOBAL.replace("return x * scale", "return sum(x * scale for _ in range(2))"),
        "scale = 99",
        "scale",
        "10",
        "99",
        "return sum(x * scale for _ in range(2))",
    ),
    "attribute of a global": (
        MODEL + "f = treadle.jit(lambda x: x * model.scale)",
        "model.scale = 99",
        "model.scale",
        "10",
        "99",
        "f = treadle.jit(lambda x: x * model.scale)",
    ),
    "attribute of a class": (
        MODEL.replace("model = ", "Model.rate = 5\nmodel = ")
        + "f = treadle.jit(lambda x: x * Model.rate)",
        "Model.rate = 6",
        "Model.rate",
        "5",
        "6",
        "f = treadle.jit(lambda x: x * Model.rate)",
    ),
    "dict": (
        "cfg = {'lr': 0.1}\nf = treadle.jit(lambda x: x * cfg['lr'])",
        "cfg['lr'] = 0.2",
        "cfg['lr']",
        "0.1",
        "0.2",
        "f = treadle.jit(lambda x: x * cfg['lr'])",
    ),
    "list": (
        "values = [1, 2]\nf = treadle.jit(lambda x: x * values[1])",
        "values[1] = 5",
        "values[1]",
        "2",
        "5",
        "f = treadle.jit(lambda x: x * values[1])",
    ),
    "loop over a list": (
        "values = [1, 2]\n@treadle.jit\ndef f(x):\n    for each in values:\n        x = x * each\n"
        "    return x",
        "values.append(5)",
        "values",
        "[1, 2]",
        "[1, 2, 5]",
        "for each in values:",
    ),
    "computed index": (
        "values = [1, 2]\n@treadle.jit\ndef f(x):\n    i = 1\n    return x * values[i]",
        "values[1] = 5",
        "values",
        "[1, 2]",
        "[1, 5]",
        "return x * values[i]",
    ),
    "array changed in place": (
        "w = np.ones(3)\nf = treadle.jit(lambda x: x * w)",
        "w[0] = 5",
        "w",
        "an array float64[3]",
        "another one, an array float64[3]",
        "f = treadle.jit(lambda x: x * w)",
    ),
    "another array": (
        "w = tnp.ones(3)\nf = treadle.jit(lambda x: x * w)",
        "w = tnp.zeros(3)",
        "w",
        "an array f32[3]",
        "another one, an array f32[3]",
        "f = treadle.jit(lambda x: x * w)",
    ),
    "grad": (
        GLOBAL.replace("@treadle.jit\n", "") + "f = treadle.jit(treadle.grad(f))",
        "scale = 99",
        "scale",
        "10",
        "99",
        "return x * scale",
    ),
    "grad of a closure": (
        CLOSURE.replace("    @treadle.jit\n", "") + "f = treadle.jit(treadle.grad(f))",
        "change(7)",
        "k",
        "3",
        "7",
        "return x * k",
    ),
    "vmap": (
        GLOBAL.replace("@treadle.jit\n", "") + "g = treadle.jit(treadle.vmap(f))\n"
        "def f(x, g=g):\n    return g(tnp.ones(3) * x)",
        "scale = 99",
        "scale",
        "10",
        "99",
        "return x * scale",
    ),
    "scan": (
        "scale = 10\ndef body(c, _):\n    return c * scale, None\n"
        "f = treadle.jit(lambda x: treadle.lax.scan(body, x, None, length=3)[0])",
        "scale = 99",
        "scale",
        "10",
        "99",
        "return c * scale, None",
    ),
    "shard_map": (
        "from treadle.sharding import PartitionSpec as P\nscale = 10\n"
        "mesh = treadle.make_mesh((1,), ('i',))\n"
        "g = treadle.jit(treadle.shard_map(lambda x: x * scale, mesh=mesh, in_specs=P('i'), out_specs=P('i')))\n"
        "def f(x, g=g):\n    return g(tnp.ones(2) * x)",
        "scale = 99",
        "scale",
        "10",
        "99",
        "g = treadle.jit(treadle.shard_map(lambda x: x * scale, mesh=mesh, in_specs=P('i'), "
        "out_specs=P('i')))",
    ),
}
SILENT = {
    "an argument": (
        "scale = 10\ng = treadle.jit(lambda x, scale: x * scale)\nf = lambda x: g(x, scale)",
        "scale = 99",
    ),
    "equal value": (
        GLOBAL.replace("= 10", "= 'a b'").replace("x * scale", "x if scale else 0"),
        "scale = ' '.join('ab')",
    ),
    "not a number, again": (GLOBAL.replace("= 10", "= float('nan')"), "scale = float('nan')"),
    "not read": (GLOBAL.replace("scale\n", "2\n"), "scale = 99"),
    "traced again": (GLOBAL, "scale = 99; f(tnp.ones(2)); f = treadle.jit(lambda x: x)"),
    "a cache": (
        "cache = {}\n@treadle.jit\ndef f(x):\n    if 'w' not in cache:\n        cache['w'] = 3\n    return x",
        "cache['v'] = 5",
    ),
    "a property": (
        "class M:\n    @property\n    def scale(self):\n        raise SystemExit\nm = M()\n@treadle.jit\n"
        "def f(x):\n    return x if True else m.scale",
        "pass",
    ),
    "equal array": ("w = np.ones(3)\nf = treadle.jit(lambda x: x * w)", "w = np.ones(3)"),
    "a counter that tracing changes": (
        "n = 0\n@treadle.jit\ndef f(x):\n    global n\n    n += 1\n    return x * n",
        "n = 5",
    ),
    "library": ("f = treadle.jit(lambda x: x * np.pi)", "pass"),
    "functions": ("def g(x):\n    return x\nf = treadle.jit(lambda x: g(x))", "pass"),
    "a static object of its own": (
        MODEL + "g = treadle.jit(lambda m, x: m.scale * x, static_argnums=0)\n"
        "f = lambda x: g(model, x)",
        "model = Model(99)",
    ),
    "a pytree": (
        "@treadle.tree_util.register_pytree_node_class\nclass M:\n    def __init__(self, scale):\n"
        "        self.scale = scale\n    def tree_flatten(self):\n        return (), self.scale\n"
        "    @classmethod\n    def tree_unflatten(cls, aux, children):\n        return cls(aux)\n"
        "m = M(3)\ng = treadle.jit(lambda m, x: m.scale * x)\nf = lambda x: g(m, x)",
        "m.scale = 5",
    ),
}


@pytest.mark.installed
@pytest.mark.parametrize("name", CHANGED)
def test_a_value_that_has_changed_is_reported_once(name: str, tmp_path: Path) -> None:
    before, change, path, was, now, line = CHANGED[name]
    report = report_of(PROGRAM.format(before=before, change=change), tmp_path)
    finding = only(report, "frozen")
    assert finding.kind == "frozen.global"
    assert f"`{path}` " in finding.what
    assert f" was {was} (read at program.py:" in finding.what
    assert f"it is {now} now" in finding.what
    assert finding.place is not None
    assert finding.place.text == line


@pytest.mark.installed
@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_of_other_programs(name: str, tmp_path: Path) -> None:
    before, change = SILENT[name]
    report = report_of(PROGRAM.format(before=before, change=change), tmp_path)
    assert not report.findings(), report


FIELD = """\
from functools import partial
import treadle

class Model:
    def __init__(self, mul):
        self.mul = mul

    @partial(treadle.jit, static_argnums=0)
    def calc(self, y):
        return 2 * y if self.mul else y

with treadle.watch() as report:
    model, other = Model(True), Model(True)
    model.calc(3.0)
    other.calc(3.0)
    model.mul = False
    model.calc(3.0)
    other.calc(3.0)
"""


@pytest.mark.installed
def test_a_field_of_a_static_argument_is_reported(tmp_path: Path) -> None:
    finding = only(report_of(FIELD, tmp_path), "frozen")
    assert finding.kind == "frozen.field"
    assert finding.what.startswith(
        "calc was traced when `self.mul` was True (read at program.py:10); it is False now"
    )


@pytest.mark.installed
def test_two_variables_are_two_findings(tmp_path: Path) -> None:
    text = PROGRAM.format(
        before="a = b = 1\nf = treadle.jit(lambda x: x * a + b)",
        change="a, b = 2, 3; f(1.0); a = 5",
    )
    found = report_of(text, tmp_path).findings("frozen.global")
    assert sorted(finding.what.split("`")[1] for finding in found) == ["a", "b"]


@pytest.mark.installed
def test_a_call_that_is_traced_again_sees_the_new_value(tmp_path: Path) -> None:
    text = PROGRAM.format(before=GLOBAL, change="scale = 99; f(tnp.ones(2)); scale = 10")
    report = report_of(text, tmp_path)
    assert not report.findings(), report


@pytest.mark.installed
@everywhere
def test_a_frozen_value_is_reported_everywhere(run: Run, tmp_path: Path) -> None:
    report = run(PROGRAM.format(before=GLOBAL, change="scale = 99"), tmp_path)
    assert [each.kind for each in report.findings()] == ["frozen.global"]
    assert "f was traced when `scale` was 10" in report.findings()[0].what
