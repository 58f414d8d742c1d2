"""NaNs: each program of the table has its finding, mended it does not, and others are silent."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from conformance.insight.programs import only, report_in_thread, report_of
from conformance.insight.surprises import Surprise, has_finding, mended, under_jax

pytestmark = pytest.mark.installed

_VALUES = "treadle.explain(treadle.grad(f), values=True)"
_ROOTS = "jnp.array([1.0, 0.0, 4.0])"
_SQRT = "jnp.sqrt(jnp.where(x > 0, x, 1.0))"

WHERE: Final = (
    Surprise(
        "where_sqrt",
        "nan.where",
        "def f(x):\n    return jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()  # here",
        f"{_VALUES}({_ROOTS})",
        ("element (1,)", "the side that `where` at", "times inf", "derivative of `sqrt`", "at 0.0"),
        (("jnp.sqrt(x)", _SQRT),),
    ),
    Surprise(
        "where_sqrt_of_negative",
        "nan.where",
        "def f(x):\n    return jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()  # here",
        f"{_VALUES}(jnp.array([1.0, -1.0]))",
        ("element (1,)", "times nan", "`sqrt`", "-1.0"),
        (("jnp.sqrt(x)", _SQRT),),
    ),
    Surprise(
        "where_log",
        "nan.where",
        "def f(x):\n    return jnp.where(x > 0, jnp.log(x), 0.0)  # here",
        f"{_VALUES}(0.0)",
        ("times inf", "derivative of `log`", "at 0.0"),
        (("jnp.log(x)", "jnp.log(jnp.where(x > 0, x, 1.0))"),),
    ),
    Surprise(
        "where_division",
        "nan.where",
        "def f(x):\n    return jnp.where(x != 0, 1 / x, 0.0).sum()  # here",
        f"{_VALUES}({_ROOTS})",
        ("times inf", "`/`", "0.0"),
        (("1 / x", "1 / jnp.where(x != 0, x, 1.0)"),),
    ),
    Surprise(
        "where_power",
        "nan.where",
        "def f(x):\n    return jnp.where(x > 0, x**0.5, 0.0).sum()  # here",
        f"{_VALUES}({_ROOTS})",
        ("times inf", "derivative of `**`", "at 0.0"),
        (("x**0.5", "jnp.where(x > 0, x, 1.0) ** 0.5"),),
    ),
    Surprise(
        "other_side",
        "nan.where",
        "def f(x):\n    return jnp.where(x <= 0, 0.0, jnp.sqrt(x)).sum()  # here",
        f"{_VALUES}({_ROOTS})",
        ("derivative of `sqrt`",),
        (("jnp.sqrt(x)", "jnp.sqrt(jnp.where(x <= 0, 1.0, x))"),),
    ),
    Surprise(
        "two_lines_apart",
        "nan.where",
        "def f(x):\n    r = jnp.sqrt(x)  # here\n    inside = x > 0\n    y = jnp.where(inside, r, 0.0)\n"
        "    return (y * 3.0).sum()",
        f"{_VALUES}({_ROOTS})",
        ("element (1,)", "derivative of `sqrt`", "at 0.0"),
        (("jnp.sqrt(x)", _SQRT),),
    ),
    Surprise(
        "under_jit",
        "nan.where",
        "@treadle.jit\ndef f(x):\n    return jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()  # here",
        f"treadle.explain(treadle.jit(treadle.grad(f)), values=True)({_ROOTS})",
        ("element (1,)", "derivative of `sqrt`"),
        (("jnp.sqrt(x)", _SQRT),),
    ),
    Surprise(
        "grad_of_grad",
        "nan.where",
        "def g(x):\n    return jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()  # here\n\n"
        "def f(x):\n    return treadle.grad(g)(x)[0]",
        f"{_VALUES}({_ROOTS})",
        ("derivative of `sqrt`",),
        (("jnp.sqrt(x)", _SQRT),),
    ),
    Surprise(
        "scan",
        "nan.where",
        "def body(c, _):\n    y = jnp.where(c > 0, jnp.sqrt(c), 0.0)  # here\n    return y - 1.0, None\n\n"
        "def f(x):\n    return lax.scan(body, x, None, length=2)[0]",
        f"{_VALUES}(1.0)",
        ("derivative of `sqrt`", "at 0.0", "iteration 1 of scan"),
        (("jnp.sqrt(c)", "jnp.sqrt(jnp.where(c > 0, c, 1.0))"),),
    ),
    Surprise(
        "vmap",
        "nan.where",
        "def f(x):\n    return jnp.where(x > 0, jnp.log(x), 0.0)  # here",
        f"treadle.explain(treadle.vmap(treadle.grad(f)), values=True)({_ROOTS})",
        ("element (1,)", "derivative of `log`"),
        (("jnp.log(x)", "jnp.log(jnp.where(x > 0, x, 1.0))"),),
    ),
    Surprise(
        "shard_map",
        "nan.where",
        "mesh = treadle.make_mesh((1,), ('i',))\nspec = treadle.sharding.PartitionSpec('i')\n\n"
        "def g(x):\n    return jnp.where(x > 0, jnp.sqrt(x), 0.0)  # here\n\n"
        "def f(x):\n"
        "    return treadle.shard_map(g, mesh=mesh, in_specs=spec, out_specs=spec)(x).sum()",
        f"{_VALUES}({_ROOTS})",
        ("element (1,)", "derivative of `sqrt`", "at 0.0"),
        (("jnp.sqrt(x)", _SQRT),),
    ),
    Surprise(
        "helper",
        "nan.where",
        "def root(x):\n    return jnp.sqrt(x)  # here\n\n"
        "def f(x):\n    return jnp.where(x > 0, root(x), 0.0).sum()",
        f"{_VALUES}({_ROOTS})",
        ("derivative of `sqrt`",),
        (("root(x), 0.0", "root(jnp.where(x > 0, x, 1.0)), 0.0"),),
    ),
)
MADE: Final = (
    Surprise(
        "norm_at_zero",
        "nan.made",
        "def f(x):\n    return jnp.linalg.norm(x)  # here",
        f"{_VALUES}(jnp.zeros(3))",
        ("derivative of `norm`", "at 0.0", "inf"),
        (("jnp.linalg.norm(x)", "jnp.sqrt(jnp.sum(x**2) + 1e-12)"),),
    ),
    Surprise(
        "log_sum_exp",
        "nan.made",
        "def f(x):\n    return jnp.log(jnp.sum(jnp.exp(x)))  # here",
        f"{_VALUES}(jnp.array([1000.0, 1000.0]))",
        ("`exp`", "1000.0"),
        (("jnp.log(jnp.sum(jnp.exp(x)))", "nn.logsumexp(x)"),),
    ),
    Surprise(
        "log_of_negative",
        "nan.made",
        "def f(x):\n    return jnp.sum(jnp.log(x))  # here",
        "treadle.explain(f, values=True)(jnp.array([1.0, -1.0]))",
        ("`log`", "element (1,)", "-1.0"),
        (("jnp.log(x)", "jnp.log(jnp.where(x > 0, x, 1.0))"),),
    ),
    Surprise(
        "quotient",
        "nan.made",
        "def f(x, y):\n    return x / y  # here",
        "treadle.explain(f, values=True)(jnp.array([1.0, 0.0]), jnp.array([1.0, 0.0]))",
        ("`/`", "element (1,)", "0.0, 0.0"),
        (("x / y", "x / jnp.where(y == 0, 1.0, y)"),),
    ),
    Surprise(
        "given",
        "nan.given",
        "def f(p, data):\n    return jnp.sum(p['w'] * data)  # here",
        f"{_VALUES}({{'w': jnp.ones(2)}}, jnp.array([1.0, jnp.nan]))",
        ("`data`", "element (1,)"),
        (("p['w'] * data", "p['w'] * jnp.nan_to_num(data)"),),
    ),
)
ALL: Final = WHERE + MADE


def _name(surprise: Surprise) -> str:
    return surprise.name


@pytest.mark.parametrize("surprise", ALL, ids=_name)
def test_the_program_has_the_finding(surprise: Surprise, tmp_path: Path) -> None:
    has_finding(surprise, tmp_path)


@pytest.mark.parametrize("surprise", ALL, ids=_name)
def test_the_mended_program_does_not(surprise: Surprise, tmp_path: Path) -> None:
    mended(surprise, tmp_path)


@pytest.mark.parametrize("surprise", [WHERE[0], MADE[0]], ids=_name)
def test_a_thread_has_the_finding(surprise: Surprise, tmp_path: Path) -> None:
    has_finding(surprise, tmp_path, report_in_thread)


def test_programs_that_import_jax_have_the_findings(tmp_path: Path) -> None:
    own = {"under_jit", "grad_of_grad", "vmap", "shard_map"}
    under_jax([each for each in ALL if each.name not in own], tmp_path)


@pytest.mark.parametrize("surprise", WHERE[:2] + WHERE[2:6] + WHERE[6:7], ids=_name)
def test_the_fix_is_the_code_that_mends_the_program(surprise: Surprise, tmp_path: Path) -> None:
    finding = only(report_of(surprise.program(), tmp_path), surprise.kind)
    ((old, new),) = surprise.fixed
    (line,) = [each for each in surprise.lines.splitlines() if each.endswith("# here")]
    written = line.partition("return ")[2].partition("  #")[0].removesuffix(".sum()")
    assert finding.code == (
        written.replace(old, new).replace("x**0.5", "x ** 0.5") if written else new
    )


@pytest.mark.parametrize(
    ("lines", "call"),
    [
        ("def f(x):\n    return jnp.sqrt(x).sum()", f"{_VALUES}(jnp.ones(2))"),
        (
            "def f(x):\n    return jnp.where(jnp.isnan(x), 0.0, x).sum()",
            f"{_VALUES}(jnp.array([jnp.nan]))",
        ),
        ("def f(x):\n    return 1 / x", "treadle.explain(f, values=True)(0.0)"),
        (
            "def f(x):\n    return jnp.nanmean(x)",
            "treadle.explain(f, values=True)(jnp.array([jnp.nan, 1.0]))",
        ),
    ],
    ids=["ordinary", "replaced", "infinite", "nanmean"],
)
def test_nothing_is_said_of_others(lines: str, call: str, tmp_path: Path) -> None:
    report = report_of(Surprise("silent", "nan", lines, call).program(), tmp_path)
    assert not report.findings("nan"), report
