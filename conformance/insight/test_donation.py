"""Donated arguments: which are not used and why, by path; which result reuses the memory of each."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from conformance.insight.programs import (
    only,
    report_in_thread,
    report_of,
    report_under_jax,
    run_program,
)
from treadle_ir.errors import DonatedError

pytestmark = pytest.mark.installed

HEAD = """\
import numpy as np
import treadle
import treadle.numpy as tnp

"""
STATE = """\
def step(state):
    return {"w": state["w"] * 2, "step": (state["step"] + 1).astype(int)}

state = {"w": tnp.ones(3), "step": tnp.zeros(())}
"""
# By name: the program, the arguments of the call, and the sentence.
PROGRAMS = {
    "type": (
        STATE + "f = treadle.jit(step, donate_argnums=0)\n",
        "state",
        "The memory of the donated argument `state['step']` f32[] could not be reused: the result of that shape is "
        "i32[].",
    ),
    "count": (
        "def f(a, b):\n    return a + b\nf = treadle.jit(f, donate_argnums=(0, 1))\n",
        "tnp.ones(3), tnp.ones(3)",
        "The memory of the donated argument `b` f32[3] could not be reused: other arguments use the only result "
        "of that type.",
    ),
    "size": (
        "def f(a):\n    return a.sum()\nf = treadle.jit(f, donate_argnums=0)\n",
        "tnp.ones(3)",
        "The memory of the donated argument `a` f32[3] could not be reused: no result has that shape.",
    ),
    "keyword": (
        "def f(x, state):\n    return x + state\nf = treadle.jit(f, donate_argnums=1)\n",
        "tnp.ones(3), state=tnp.ones(3)",
        "argument `state` f32[3] was not donated: it was passed by keyword",
    ),
    "view": (
        "def f(x):\n    return x + 1\nf = treadle.jit(f, donate_argnums=0)\n"
        "x = tnp.ones(3)\nview = np.asarray(x)\n",
        "x",
        "argument `x` f32[3] is copied, not reused: a NumPy view of it is alive.",
    ),
}
FIXES = {
    "type": ("(state['step'] + 1).astype(int)", "state['step'] + 1"),
    "count": ("donate_argnums=(0, 1)", "donate_argnums=0"),
    "size": ("donate_argnums=0", "donate_argnums=()"),
    "keyword": ("donate_argnums=1", "donate_argnums=1, donate_argnames='state'"),
    "view": ("view = np.asarray(x)", "view = np.array(x)"),
}


def explained(case: str) -> str:
    body, args, _ = PROGRAMS[case]
    return f"{HEAD}{body}report = treadle.explain(f)({args})\n"


@pytest.mark.parametrize("case", PROGRAMS)
def test_what_explain_says(case: str, tmp_path: Path) -> None:
    finding = only(report_of(explained(case), tmp_path), "donation.unused")
    assert finding.what.startswith(PROGRAMS[case][2])
    assert finding.place is not None
    assert finding.place.line == 5
    assert finding.certain == (case != "view")


@pytest.mark.parametrize(
    ("case", "fix"), [("size", "Do not donate `a`."), ("type", "as an argument of its own")]
)
def test_a_leaf_cannot_be_left_out_of_a_donated_tree(case: str, fix: str, tmp_path: Path) -> None:
    assert fix in only(report_of(explained(case), tmp_path), "donation.unused").fix


@pytest.mark.parametrize("case", PROGRAMS)
def test_the_mended_program(case: str, tmp_path: Path) -> None:
    text = explained(case).replace('"step"', "'step'")
    wrong, right = FIXES[case]
    assert wrong in text
    assert not report_of(text.replace(wrong, right), tmp_path).findings("donation")


@pytest.mark.parametrize("case", ["type", "count", "size", "keyword"])
def test_what_watch_says_of_the_call(case: str, tmp_path: Path) -> None:
    body, args, said = PROGRAMS[case]
    text = f"{HEAD}{body}with treadle.watch('donation') as report:\n    f({args})\n    f({args})\n"
    text = text.replace("f(state)", "f({'w': tnp.ones(3), 'step': tnp.zeros(())})")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        finding = only(report_of(text, tmp_path), "donation.unused")
    assert finding.what.startswith(said)
    line = text.splitlines().index("with treadle.watch('donation') as report:") + 2
    assert [place.line for place in finding.where] == [line, 5]


def test_the_warning_is_as_before() -> None:
    f = treadle.jit(lambda x: x.sum(), donate_argnums=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f.trace(tnp.ones(3))
        assert not caught
        with treadle.watch():
            f(tnp.ones(3))
    (warning,) = caught
    assert str(warning.message).splitlines()[0] == (
        "Some donated buffers were not usable: f32[3]{0}"
    )


def test_the_table_has_all_leaves(tmp_path: Path) -> None:
    (table,) = [
        x for x in report_of(explained("type"), tmp_path).tables if x.title == "donated arguments"
    ]
    assert table.rows == (
        ("state['step']", "f32[]", "unused: the result of this shape is another type: i32[]"),
        ("state['w']", "f32[3]", "-> result['w']"),
    )


def test_an_array_that_is_given_twice(tmp_path: Path) -> None:
    text = HEAD + "def f(x, y):\n    return x + y\nf = treadle.jit(f, donate_argnums=0)\n"
    text += "x = tnp.ones(3)\nreport = treadle.explain(f)(x, x)\n"
    finding = only(report_of(text, tmp_path), "donation")
    assert finding.kind == "donation.twice"
    assert finding.what == (
        "argument `x` f32[3] is donated, and is the same array as argument `y`."
    )
    mended = text.replace("f)(x, x)", "f)(x, x.copy())")
    assert not report_of(mended, tmp_path).findings("donation")
    with pytest.raises(DonatedError, match="another argument"):
        run_program(text + "f(x, x)\n", tmp_path)


def test_an_array_that_is_used_again_names_the_call_that_took_it(tmp_path: Path) -> None:
    body = "def f(x):\n    return x + 1\nf = treadle.jit(f, donate_argnums=0)\nx = tnp.ones(3)\n"
    with pytest.raises(RuntimeError) as caught:
        run_program(HEAD + body + "f(x)\nx + 1\n", tmp_path)
    said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert "donated to f" in said
    assert "program.py:9" in said


@pytest.mark.parametrize("case", ["type", "keyword"])
def test_under_the_name_of_jax(case: str, tmp_path: Path) -> None:
    (seen,) = report_under_jax(explained(case), tmp_path).findings()
    assert seen.what.startswith(PROGRAMS[case][2])


def test_in_a_thread(tmp_path: Path) -> None:
    report = report_in_thread(explained("type"), tmp_path)
    assert only(report, "donation.unused").what.startswith(PROGRAMS["type"][2])


SILENT: dict[str, Any] = {
    "no donation": (lambda x: x + 1, {}),
    "all used": (lambda x: x + 1, {"donate_argnums": 0}),
    "by name": (lambda x: x + 1, {"donate_argnames": "x"}),
}


@pytest.mark.parametrize("case", SILENT)
def test_programs_without_findings(case: str) -> None:
    function, options = SILENT[case]
    report = treadle.explain(treadle.jit(function, **options))(tnp.ones(1000))
    assert not report.findings("donation")
