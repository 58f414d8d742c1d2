"""Digits that jit changes: each program of the table has its finding, and programs with the same digits are silent."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from conformance.insight.programs import only, report_in_thread, report_of
from conformance.insight.surprises import Surprise, has_finding, under_jax

pytestmark = [pytest.mark.installed, pytest.mark.cpu]

_RANDOM = "a, b, c = np.random.default_rng(0).normal(size=(3, 64, 64)).astype('f4')"
ALL: Final = (
    Surprise(
        "log_exp",
        "digits.simplified",
        "def f(x):\n    return jnp.log(jnp.exp(x))  # here",
        "treadle.explain(f, values=True)(jnp.array([0.0, 100.0]))",
        (
            "`log_exp` removed the `exp`",
            "and the `log`",
            "inf without jit, 100.0 with it (50% of the",
        ),
    ),
    Surprise(
        "sin",
        "digits.operation",
        "def f(x, y):\n    s = jnp.sin(x)  # here\n    return s * y",
        "treadle.explain(f, values=True)(jnp.linspace(-5.0, 5.0, 1001), jnp.ones(1001))",
        ("computes `sin` at", "1 ulp", "of the elements"),
    ),
    Surprise(
        "matrix_product",
        "digits.operation",
        f"{_RANDOM}\n\ndef f(x, y):\n    return x @ y  # here",
        "treadle.explain(f, values=True)(a, b)",
        ("computes `@` at", "ulp", "of the elements"),
    ),
    Surprise(
        "fused",
        "digits.fused",
        f"{_RANDOM}\n\ndef f(a, b, c):\n    return a * b + c  # here",
        "treadle.explain(f, values=True)(a, b, c)",
        ("alone gives the same digits", "ulp"),
    ),
)


def _name(surprise: Surprise) -> str:
    return surprise.name


@pytest.mark.parametrize("surprise", ALL, ids=_name)
def test_the_program_has_the_finding(surprise: Surprise, tmp_path: Path) -> None:
    has_finding(surprise, tmp_path)


@pytest.mark.parametrize(
    ("given", "words", "is_mended"),
    [
        ("[0.3, 100.0]", "inf without jit, 100.0 with it (100% of the elements differ)", True),
        ("[0.3, 1.7]", "0.29999998 without jit, 0.3 with it (at most 1 ulp, 50% of the", False),
    ],
)
def test_the_element_that_differs_most_is_shown(
    given: str, words: str, is_mended: bool, tmp_path: Path
) -> None:
    call = f"treadle.explain(f, values=True)(jnp.array({given}))"
    text = Surprise("most", "digits", ALL[0].lines, call).program()
    finding = only(report_of(text, tmp_path), "digits.simplified")
    assert words in finding.what
    assert finding.fix.startswith("Nothing needs to be done") == is_mended
    assert finding.code.endswith('"join_parts,log_sqrt")  # those that stay on')


def test_a_thread_has_the_finding(tmp_path: Path) -> None:
    has_finding(ALL[0], tmp_path, report_in_thread)


def test_programs_that_import_jax_have_the_findings(tmp_path: Path) -> None:
    under_jax(ALL, tmp_path)


_CANCEL: Final = "def f(x, y):\n    return x + y - x  # here"


def test_a_sum_that_cancels_is_named_where_the_simplification_is_on(tmp_path: Path) -> None:
    on = "treadle.config.update('treadle_simplify', 'all')\n"
    off = "\ntreadle.config.update('treadle_simplify', True)"
    call = "treadle.explain(f, values=True)(1.0, 0.001)"
    words = ("`cancel_add_sub` removed the `+`", "and the `-`", "0.001 with it")
    has_finding(Surprise("cancel", "digits.simplified", on + _CANCEL, call + off, words), tmp_path)


@pytest.mark.parametrize(
    ("lines", "call"),
    [
        (_CANCEL, "treadle.explain(f, values=True)(1.0, 0.001)"),
        ("def f(x):\n    return x + 1.0", "treadle.explain(f, values=True)(jnp.ones(3))"),
        ("def f(x):\n    return x.sum()", "treadle.explain(f, values=True)(jnp.arange(5))"),
        ("def f(x):\n    return jnp.log(jnp.exp(x))", "treadle.explain(f, values=True)(0.0)"),
        (
            "def f(x):\n"
            "    return lax.scan(lambda c, _: (jnp.sin(c) * 2.0, None), x, None, length=3)[0]",
            "treadle.explain(f, values=True)(jnp.linspace(-5.0, 5.0, 1001))",
        ),
        ("def f(x):\n    return jnp.sin(x)", "treadle.explain(f)(jnp.linspace(-5.0, 5.0, 1001))"),
    ],
    ids=["sum_that_is_not_cancelled", "exact", "integers", "same_digits", "loop", "no_values"],
)
def test_nothing_is_said_where_digits_are_equal(lines: str, call: str, tmp_path: Path) -> None:
    report = report_of(Surprise("silent", "digits", lines, call).program(), tmp_path)
    assert not report.findings("digits"), report


def test_the_setting_of_the_fix_keeps_the_digits(tmp_path: Path) -> None:
    mended = "treadle.config.update('treadle_simplify', 'join_parts,log_sqrt')\n" + ALL[0].lines
    off = "\ntreadle.config.update('treadle_simplify', True)"
    report = report_of(Surprise("mended", "digits", mended, ALL[0].call + off).program(), tmp_path)
    assert not report.findings("digits.simplified"), report
