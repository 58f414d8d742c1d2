"""Gradients that are zero: each program of the table has its finding, mended it does not, and others are silent."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from conformance.insight.programs import report_in_thread, report_of
from conformance.insight.surprises import Surprise, has_finding, mended, under_jax
from treadle_insight import explain
from treadle_ir import ops
from treadle_ir.errors import ConcretizationError

pytestmark = pytest.mark.installed

_PLAIN = "treadle.explain(treadle.grad(f))"
_VALUES = "treadle.explain(treadle.grad(f), values=True)"

FLAT: Final = (
    Surprise(
        "step",
        "zero.flat",
        "def f(x):\n    return (x > 0).astype(float)  # here",
        f"{_PLAIN}(1.0)",
        ("`x`", "`x > 0`", "comparison"),
        (("(x > 0).astype(float)", "nn.sigmoid(x / 0.1)"),),
    ),
    Surprise(
        "argsort",
        "zero.flat",
        "def f(x):\n    return jnp.argsort(x).astype(float).sum()  # here",
        f"{_PLAIN}(jnp.array([3.0, 1.0, 2.0]))",
        ("`x`", "`argsort`", "positions"),
        (("jnp.argsort(x).astype(float).sum()", "(jnp.sort(x) * jnp.arange(3.0)).sum()"),),
    ),
    Surprise(
        "argmax",
        "zero.flat",
        "def f(x):\n    return jnp.argmax(x).astype(float)  # here",
        f"{_PLAIN}(jnp.array([3.0, 1.0, 2.0]))",
        ("`argmax`", "positions"),
        (("jnp.argmax(x).astype(float)", "jnp.sum(nn.softmax(x) * jnp.arange(3.0))"),),
    ),
    Surprise(
        "int_cast",
        "zero.flat",
        "def f(x):\n    y = x.astype(jnp.int32)  # here\n    return (y * y).astype(jnp.float32)",
        f"{_PLAIN}(2.7)",
        ("`astype`", "integers"),
        (("x.astype(jnp.int32)", "x"),),
    ),
    Surprise(
        "round",
        "zero.flat",
        "def f(params, x):\n    h = jnp.round(params['w'] @ x)  # here\n    return (h**2).sum() + params['b']",
        f"{_PLAIN}({{'w': jnp.ones((2, 2)), 'b': 1.0}}, jnp.ones(2))",
        ("`params['w']`", "`round`", "jumps"),
        (
            (
                "jnp.round(params['w'] @ x)",
                "(params['w'] @ x) + lax.stop_gradient(jnp.round(params['w'] @ x) - (params['w'] @ x))",
            ),
        ),
    ),
    Surprise(
        "sign",
        "zero.flat",
        "def f(x):\n    return jnp.sign(x).sum()  # here",
        f"{_PLAIN}(jnp.ones(2))",
        ("`sign`",),
        (("jnp.sign(x)", "nn.soft_sign(x)"),),
    ),
    Surprise(
        "stop_gradient",
        "zero.flat",
        "def f(x):\n    y = lax.stop_gradient(x)  # here\n    return (y**2).sum()",
        f"{_PLAIN}(jnp.ones(2))",
        ("`stop_gradient`", "asked"),
        (("lax.stop_gradient(x)", "x"),),
    ),
    Surprise(
        "within_scan",
        "zero.flat",
        "def body(c, _):\n    return jnp.floor(c) + 1.0, None  # here\n\n"
        "def f(x):\n    return lax.scan(body, x, None, length=3)[0]",
        f"{_PLAIN}(1.5)",
        ("`floor`", "inside the scan"),
        (("jnp.floor(c)", "c"),),
    ),
    Surprise(
        "within_cond",
        "zero.flat",
        "def up(y):\n    return jnp.ceil(y)  # here\n\ndef down(y):\n    return jnp.floor(y)  # here\n\n"
        "def f(x, i):\n    return lax.cond(i > 0, up, down, x)",
        f"{_PLAIN}(1.5, jnp.array(1))",
        ("`ceil`", "`floor`", "inside the case"),
        (("jnp.ceil(y)", "y"), ("jnp.floor(y)", "2 * y")),
    ),
    Surprise(
        "within_while",
        "zero.flat",
        "def body(c):\n    return jnp.floor(c) + 1.0  # here\n\n"
        "def f(x):\n    return lax.fori_loop(0, 3, lambda i, c: body(c), x)",
        f"{_PLAIN}(1.5)",
        ("`floor`",),
        (("jnp.floor(c)", "c"),),
    ),
    Surprise(
        "custom_jvp",
        "zero.flat",
        "@treadle.custom_jvp\ndef hard(x):\n    return jnp.round(x)\n\n"
        "@hard.defjvp\ndef hard_jvp(primals, tangents):\n"
        "    return hard(primals[0]), jnp.zeros_like(tangents[0])\n\n"
        "def f(x):\n    return hard(x) * 2.0  # here",
        f"{_PLAIN}(1.5)",
        ("`hard`", "rule"),
        (("jnp.zeros_like(tangents[0])", "tangents[0]"),),
    ),
    Surprise(
        "where_of_constants",
        "zero.flat",
        "def f(x):\n    return jnp.where(x > 0, 1.0, 0.0).sum()  # here",
        f"{_PLAIN}(jnp.ones(2))",
        ("`x > 0`",),
        (("jnp.where(x > 0, 1.0, 0.0)", "jnp.where(x > 0, x, 0.0)"),),
    ),
    Surprise(
        "under_vmap",
        "zero.flat",
        "def g(y):\n    return jnp.round(y)  # here\n\ndef f(x):\n    return treadle.vmap(g)(x).sum()",
        f"{_PLAIN}(jnp.ones(2))",
        ("`round`",),
        (("jnp.round(y)", "y"),),
    ),
    Surprise(
        "under_shard_map",
        "zero.flat",
        "mesh = treadle.make_mesh((1,), ('i',))\nspec = treadle.sharding.PartitionSpec('i')\n\n"
        "def g(x):\n    return jnp.round(x)  # here\n\n"
        "def f(x):\n"
        "    return treadle.shard_map(g, mesh=mesh, in_specs=spec, out_specs=spec)(x).sum()",
        f"{_PLAIN}(jnp.ones(2))",
        ("`round`", "inside the shard_map"),
        (("jnp.round(x)", "x"),),
    ),
    Surprise(
        "under_jit",
        "zero.flat",
        "@treadle.jit\ndef f(x):\n    return jnp.round(x)  # here",
        "treadle.explain(treadle.jit(treadle.grad(f)))(1.5)",
        ("`round`",),
        (("jnp.round(x)", "x"),),
    ),
    Surprise(
        "value_and_grad",
        "zero.flat",
        "def f(x, y):\n    return x + jnp.round(y), 'aux'  # here",
        "treadle.explain(treadle.value_and_grad(f, argnums=(0, 1), has_aux=True))(1.5, 2.5)",
        ("`y`", "`round`"),
        (("jnp.round(y)", "y"),),
    ),
    Surprise(
        "jacobian",
        "zero.flat",
        "def f(x):\n    return jnp.round(x)  # here",
        "treadle.explain(treadle.jacrev(f))(jnp.ones(3))",
        ("`round`",),
        (("jnp.round(x)", "x"),),
    ),
    Surprise(
        "gradient_argument",
        "zero.flat",
        "def f(x, y):\n    return x + jnp.round(y)  # here",
        "treadle.explain(f, gradient=1)(1.5, 2.5)",
        ("`y`", "`round`"),
        (("jnp.round(y)", "y"),),
    ),
    Surprise(
        "unused",
        "zero.unused",
        "def f(params):\n    return jnp.sum(params['w'] ** 2)  # here",
        f"{_PLAIN}({{'w': jnp.ones(2), 'b': jnp.ones(2)}})",
        ("`params['b']`", "does not use"),
        (("params['w'] ** 2", "(params['w'] + params['b']) ** 2"),),
    ),
)
HERE: Final = (
    Surprise(
        "where_one_side",
        "zero.here",
        "def f(x):\n    return jnp.where(x > 10, x**2, 3.0).sum()  # here",
        f"{_VALUES}(jnp.ones(2))",
        ("`x`", "`where`"),
        (("x > 10", "x > 0"),),
    ),
    Surprise(
        "clip",
        "zero.here",
        "def f(x):\n    return jnp.clip(x, 0, 1).sum()  # here",
        f"{_VALUES}(jnp.array([2.0, -1.0]))",
        ("`x`", "`clip`"),
        (("jnp.clip(x, 0, 1)", "nn.sigmoid(x)"),),
    ),
    Surprise(
        "dead_relu",
        "zero.here",
        "def f(x):\n    h = nn.relu(x)  # here\n    return (h * 2.0).sum()",
        f"{_VALUES}(-jnp.ones(2))",
        ("`x`", "`relu`"),
        (("nn.relu(x)", "nn.leaky_relu(x)"),),
    ),
    Surprise(
        "dead_relu_in_jit",
        "zero.here",
        "@treadle.jit\ndef g(x):\n    return nn.relu(x)  # here\n\ndef f(x):\n    return (g(x) * 2.0).sum()",
        f"{_VALUES}(-jnp.ones(2))",
        ("`x`", "`relu`"),
        (("nn.relu(x)", "nn.leaky_relu(x)"),),
    ),
    Surprise(
        "dead_relu_in_scan",
        "zero.here",
        "def body(c, _):\n    return nn.relu(c - 1.0), None  # here\n\n"
        "def f(x):\n    return lax.scan(body, x, None, length=3)[0]",
        f"{_VALUES}(1.5)",
        ("`relu`", "iteration 2 of scan"),
        (("nn.relu(c - 1.0)", "nn.leaky_relu(c - 1.0)"),),
    ),
    Surprise(
        "item",
        "zero.constant",
        "def f(x):\n    s = x.item()  # here\n    return jnp.sin(s)",
        f"{_VALUES}(1.5)",
        ("`x`", "`x.item()`"),
        (("x.item()", "x"),),
    ),
    Surprise(
        "float",
        "zero.constant",
        "def f(x):\n    s = float(x)  # here\n    return jnp.sin(s)",
        f"{_VALUES}(1.5)",
        ("`float(x)`",),
        (("float(x)", "x"),),
    ),
    Surprise(
        "numpy",
        "zero.constant",
        "def f(x):\n    features = np.tanh(x.tolist())  # here\n    return jnp.sum(features)",
        f"{_VALUES}(jnp.ones(2))",
        ("`x.tolist()`",),
        (("np.tanh(x.tolist())", "jnp.tanh(x)"),),
    ),
    Surprise(
        "if_chooses",
        "zero.path",
        "def f(x):\n    if x > 0:  # here\n        return jnp.float32(1.0)\n    return jnp.float32(0.0)",
        f"{_VALUES}(1.5)",
        ("`x`", "side"),
        (("jnp.float32(1.0)", "x"),),
    ),
)
ALL: Final = FLAT + HERE

SILENT: Final = {
    "ordinary": ("def f(x):\n    return jnp.sum(x**2)", "jnp.ones(2)"),
    "mask": ("def f(x):\n    return jnp.sum(jnp.where(x > 0, x, 0.0))", "jnp.array([1.0, -1.0])"),
    "some_elements": ("def f(x):\n    return x[0] ** 2", "jnp.ones(3)"),
    "integer_index": ("def f(x):\n    return x[jnp.argmax(x)]", "jnp.array([1.0, 3.0])"),
    "sort": ("def f(x):\n    return jnp.sort(x)[0]", "jnp.array([3.0, 1.0])"),
    "softmax": ("def f(x):\n    return jnp.log(nn.softmax(x))[0]", "jnp.ones(3)"),
    "dropout": ("def f(x):\n    return jnp.sum(x * (x > 0))", "jnp.array([1.0, -1.0])"),
    "straight_through": (
        "def f(x):\n    return (x + lax.stop_gradient(jnp.round(x) - x)).sum()",
        "jnp.array([0.3, 1.6])",
    ),
    "scan": (
        "def f(x):\n    return lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)[0]",
        "1.0",
    ),
    "read_and_used": ("def f(x):\n    return x.item() * x", "2.0"),
    "logged": ("def f(x):\n    treadle.debug.print('{}', x)\n    return x**2", "2.0"),
}


def _name(surprise: Surprise) -> str:
    return surprise.name


@pytest.mark.parametrize("surprise", ALL, ids=_name)
def test_the_program_has_the_finding(surprise: Surprise, tmp_path: Path) -> None:
    has_finding(surprise, tmp_path)


@pytest.mark.parametrize("surprise", ALL, ids=_name)
def test_the_mended_program_does_not(surprise: Surprise, tmp_path: Path) -> None:
    mended(surprise, tmp_path)


@pytest.mark.parametrize("surprise", [FLAT[0], HERE[1], HERE[-1]], ids=_name)
def test_a_thread_has_the_finding(surprise: Surprise, tmp_path: Path) -> None:
    has_finding(surprise, tmp_path, report_in_thread)


def test_programs_that_import_jax_have_the_findings(tmp_path: Path) -> None:
    own = {
        "custom_jvp",
        "under_jit",
        "under_shard_map",
        "under_vmap",
        "value_and_grad",
        "jacobian",
        "dead_relu_in_jit",
    }
    under_jax([each for each in ALL if each.name not in own], tmp_path)


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_of_others(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines, argument = SILENT[name]
    text = Surprise(name, "zero", lines, f"{_VALUES}({argument})").program()
    report = report_of(text, tmp_path)
    assert not report.findings("zero"), report
    assert not capfd.readouterr().out


def test_python_integers_stay_what_they_are(tmp_path: Path) -> None:
    lines = "def f(x, count):\n    return sum([jnp.round(x) for _ in range(count)])"
    text = Surprise("count", "zero.flat", lines, f"{_PLAIN}(1.5, 3)").program()
    assert report_of(text, tmp_path).findings("zero.flat")


def test_reading_elements_without_values_says_what_to_do(tmp_path: Path) -> None:
    text = Surprise(
        "read", "zero", "def f(x):\n    return x.item() * x", f"{_PLAIN}(1.5)"
    ).program()
    with pytest.raises(ConcretizationError) as raised:
        report_of(text, tmp_path)
    assert any("values=True" in note for note in raised.value.__notes__)


def test_leaves_of_one_cause_are_one_finding(tmp_path: Path) -> None:
    lines = "def f(p):\n    return sum([jnp.round(x).sum() for x in p])"
    call = f"{_PLAIN}([jnp.ones(2)] * 2)"
    report = report_of(Surprise("leaves", "zero.flat", lines, call).program(), tmp_path)
    assert len(report.findings("zero.flat")) == 2  # each has a rounding of its own
    lines = "def f(p):\n    return jnp.round(sum([x.sum() for x in p]))"
    report = report_of(Surprise("leaves", "zero.flat", lines, call).program(), tmp_path)
    (finding,) = report.findings("zero.flat")
    assert "`p[0]` and `p[1]`" in finding.what


def test_a_function_that_is_no_gradient_has_no_findings() -> None:
    assert not explain(ops.floor)(1.5).findings("zero")
