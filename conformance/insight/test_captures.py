"""Large captured arrays: their names, their sizes, the lines that use them, and the function that takes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import (
    line_of,
    only,
    report_in_thread,
    report_of,
    report_under_jax,
)

pytestmark = pytest.mark.installed

HEAD = """\
import numpy as np
import treadle
import treadle.numpy as tnp

W = tnp.ones((1500, 1500))
"""
PLAIN = (
    HEAD
    + """\
def f(x):
    return x @ W

report = treadle.explain(f)(tnp.ones(1500))
"""
)
FIXED = (
    HEAD
    + """\
def f(W, x):
    return x @ W

report = treadle.explain(f)(W, tnp.ones(1500))
"""
)
# By name: the program after its head, the line that uses the array, and the array's name.
PROGRAMS = {
    "global": ("def f(x):\n    return x @ W\n", 7, "W"),
    "NumPy": ("V = np.ones((1500, 1500), np.float32)\ndef f(x):\n    return x @ V\n", 8, "V"),
    "two of NumPy": (
        "A = np.zeros((1500, 1500), np.float32)\nB = A + 1\ndef f(x):\n    A[0]\n    return x @ B\n",
        10,
        "B",
    ),
    "nested jit": (
        "@treadle.jit\ndef inner(x):\n    return x @ W\ndef f(x):\n    return inner(x) + 1\n",
        8,
        "W",
    ),
    "scan": (
        "def f(x):\n    def body(c, _):\n        return c @ W / 1500, None\n"
        "    return treadle.lax.scan(body, x, None, 3)[0]\n",
        8,
        "W",
    ),
    "while": (
        "def f(x):\n    return treadle.lax.while_loop(lambda c: c.sum() > 9,\n"
        "        lambda c: c @ W / 3000, x)\n",
        8,
        "W",
    ),
    "grad": ("f = treadle.grad(lambda x: (x @ W).sum())\n", 6, "W"),
    "vmap": ("f = treadle.vmap(lambda y: (y * W).sum())\n", 6, "W"),
    "closure": (
        "def made(table):\n    def f(x):\n        return x @ table\n    return f\nf = made(W)\n",
        8,
        "table",
    ),
    "field": (
        "class Model:\n    def __init__(self):\n        self.weights = W + 1\n"
        "    def __call__(self, x):\n        return x @ self.weights\nf = Model().__call__\n",
        10,
        "self.weights",
    ),
    "dict": ("params = {'w': W + 1}\ndef f(x):\n    return x @ params['w']\n", 8, "params['w']"),
    "helper": ("def helper(x):\n    return x @ W\ndef f(x):\n    return helper(x)\n", 7, "W"),
    "made inside": (
        "def f(x):\n    table = np.ones((1500, 1500), np.float32)\n    return x @ table\n",
        8,
        "table",
    ),
    "shard_map": (
        "f = treadle.shard_map(lambda x: x @ W, mesh=treadle.make_mesh((1,), ('a',)), "
        "in_specs=treadle.P(), out_specs=treadle.P())\n",
        6,
        "W",
    ),
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_the_array_and_its_place(case: str, tmp_path: Path) -> None:
    body, line, name = PROGRAMS[case]
    report = report_of(f"{HEAD}{body}report = treadle.explain(f)(tnp.ones(1500))\n", tmp_path)
    finding = only(report, "capture.large")
    assert f"`{name}` f32[1500,1500], 9 MB, used at program.py:{line}." in finding.what
    assert finding.place is not None
    assert finding.place.line == line
    assert finding.cost.bytes == 9_000_000


def test_its_code_is_the_function_that_takes_the_array(tmp_path: Path) -> None:
    finding = only(report_of(PLAIN, tmp_path), "capture.large")
    assert finding.code == "def f(W, x):\n    ...\nf(W, x)"
    first, _, last = finding.code.partition("\n    ...\n")
    mended = PLAIN.replace("def f(x):", first).replace("(tnp.ones(1500))", last.removeprefix("f"))
    mended = mended.replace("f)(W, x)", "f)(W, tnp.ones(1500))")
    assert mended == FIXED
    assert not report_of(mended, tmp_path).findings("capture")


def test_small_arrays_are_no_finding(tmp_path: Path) -> None:
    report = report_of(PLAIN.replace("1500", "30"), tmp_path)
    assert not report.findings("capture")


def test_in_a_thread(tmp_path: Path) -> None:
    report = report_in_thread(PLAIN, tmp_path)
    assert "`W`" in only(report, "capture.large").what


def test_under_the_name_of_jax(tmp_path: Path) -> None:
    (seen,) = report_under_jax(PLAIN, tmp_path).findings()
    assert (seen.kind, line_of(seen)) == ("capture.large", 7)
    assert "`W` f32[1500,1500], 9 MB" in seen.what
