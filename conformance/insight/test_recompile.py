"""Functions that are compiled again: each cause is reported once, with the values that varied; others are silent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.insight.programs import line_of, only, report_in_process, report_of, run_program
from treadle_insight import findings
from treadle_insight.looks.recompile import KINDS

HEAD = "import treadle\nimport treadle.numpy as tnp\n"

# Programs with the finding that each must have: kind, words of its sentence, its line.
CASES: dict[str, tuple[str, str, tuple[str, ...], int]] = {
    "eight sizes": (
        """\
f = treadle.jit(lambda x: (x * x).sum())
with treadle.watch("recompile") as report:
    for n in range(1, 9):
        f(tnp.ones(n))
""",
        "recompile.shape",
        ("8 sizes of axis 0 of `x`", "1, 2, 3, 4, 5, 6, 7, 8"),
        6,
    ),
    "eight sizes of two axes": (
        """\
f = treadle.jit(lambda m: m.sum())
with treadle.watch("recompile") as report:
    for n in range(1, 10):
        f(tnp.ones((n, n)))
""",
        "recompile.shape",
        ("sizes of axes 0, 1 of `m`",),
        6,
    ),
    "sizes of a leaf of a tree": (
        """\
f = treadle.jit(lambda tree: tree["x"].sum() + tree["y"])
with treadle.watch("recompile") as report:
    for n in (3, 5, 6, 7):
        f({"x": tnp.ones(n), "y": tnp.ones(())})
""",
        "recompile.shape",
        ("`tree['x']`", "3, 5, 6, 7"),
        6,
    ),
    "sizes under vmap": (
        """\
f = treadle.jit(treadle.vmap(lambda x: x * x))
with treadle.watch("recompile") as report:
    for n in (3, 5, 6, 7):
        f(tnp.ones(n))
""",
        "recompile.shape",
        ("`x`", "3, 5, 6, 7"),
        6,
    ),
    "sizes of what is scanned": (
        """\
f = treadle.jit(lambda xs: treadle.lax.scan(lambda c, x: (c + x, x), 0.0, xs)[0])
with treadle.watch("recompile") as report:
    for n in (3, 5, 6, 7):
        f(tnp.ones(n))
""",
        "recompile.shape",
        ("`xs`", "3, 5, 6, 7"),
        6,
    ),
    "five static numbers": (
        """\
f = treadle.jit(lambda x, n: x * n, static_argnums=1)
with treadle.watch("recompile") as report:
    for n in range(5):
        f(1.0, n)
""",
        "recompile.static",
        ("5 values of the static argument `n`", "0, 1, 2, 3, 4"),
        6,
    ),
    "static numbers by name": (
        """\
f = treadle.jit(lambda x, *, n: x * n, static_argnames="n")
with treadle.watch("recompile") as report:
    for n in (0.5, 1.5, 2.5, 3.5):
        f(1.0, n=n)
""",
        "recompile.static",
        ("4 values of the static argument `n`", "0.5"),
        6,
    ),
    "a lambda in a loop": (
        """\
with treadle.watch("recompile") as report:
    for _ in range(4):
        treadle.jit(lambda x: x + 1)(tnp.ones(3))
""",
        "recompile.function",
        ("<lambda> was defined 4 times",),
        5,
    ),
    "a def in a function": (
        """\
def step(x):
    @treadle.jit
    def inner(y):
        return y * 2
    return inner(x)

with treadle.watch("recompile") as report:
    for _ in range(4):
        step(tnp.ones(3))
""",
        "recompile.function",
        ("inner was defined 4 times",),
        7,
    ),
    "a gradient in a loop": (
        """\
def loss(x):
    return (x * x).sum()

with treadle.watch("recompile") as report:
    for _ in range(4):
        treadle.jit(treadle.grad(loss))(tnp.ones(3))
""",
        "recompile.function",
        ("loss was defined 4 times",),
        8,
    ),
    "a function that gives its memory away, jitted in a loop": (
        """\
def step(x):
    return x + 1

with treadle.watch("recompile") as report:
    for _ in range(4):
        treadle.jit(step, donate_argnums=0)(tnp.ones(3))
""",
        "recompile.function",
        ("step was defined 4 times",),
        8,
    ),
    "float and array in turns": (
        """\
f = treadle.jit(lambda rate: rate * 2)
with treadle.watch("recompile") as report:
    for _ in range(3):
        f(0.5)
        f(tnp.asarray(0.5, dtype="float32"))
""",
        "recompile.weak",
        ("`rate` of <lambda> was a Python number in some calls", "f32[]*, f32[]"),
        7,
    ),
    "two element types": (
        """\
f = treadle.jit(lambda x: x.sum())
with treadle.watch("recompile") as report:
    f(tnp.arange(3))
    f(tnp.arange(3.0))
""",
        "recompile.dtype",
        ("`x` of <lambda> had 2 types", "i32[3], f32[3]"),
        6,
    ),
    "a hash without eq": (
        """\
class D:
    def __init__(self, x):
        self.x = x

    def __hash__(self):
        return hash(self.x)

f = treadle.jit(lambda d, y: d.x * y, static_argnums=0)
with treadle.watch("recompile") as report:
    for _ in range(3):
        f(D(2), 3.0)
""",
        "recompile.hash",
        ("3 objects of D", "`d`", "__hash__ but no __eq__"),
        13,
    ),
    "neither hash nor eq": (
        """\
class D:
    x = 2

f = treadle.jit(lambda d, y: d.x * y, static_argnums=0)
with treadle.watch("recompile") as report:
    kept = [D(), D(), D()]
    for d in kept:
        f(d, 3.0)
""",
        "recompile.hash",
        ("3 objects of D", "neither __hash__ nor __eq__"),
        10,
    ),
    "a function as a static argument": (
        """\
f = treadle.jit(lambda g, y: g(y), static_argnums=0)
with treadle.watch("recompile") as report:
    kept = []
    for _ in range(3):
        kept.append(lambda y: y + 1)
        f(kept[-1], 3.0)
""",
        "recompile.hash",
        ("3 functions from one definition", "`g`"),
        8,
    ),
    "a changed setting": (
        """\
f = treadle.jit(lambda x: x @ x)
with treadle.watch("recompile") as report:
    f(tnp.ones((2, 2)))
    with treadle.default_matmul_precision("highest"):
        f(tnp.ones((2, 2)))
""",
        "recompile.context",
        ("2 contexts", "default_matmul_precision is 'highest'"),
        7,
    ),
    "settings for which it is only compiled": (
        """\
f = treadle.jit(lambda x: x * 2.5)
with treadle.watch("recompile") as report:
    f(tnp.ones(3))
    for setting in (treadle.debug_nans, treadle.debug_infs, treadle.debug_key_reuse):
        with setting(True):
            f(tnp.ones(3))
""",
        "recompile.context",
        ("4 contexts", "debug_nans is True", "debug_infs is True", "debug_key_reuse is True"),
        8,
    ),
    "another structure": (
        """\
f = treadle.jit(lambda parts: parts[0] + parts[1])
with treadle.watch("recompile") as report:
    f([1.0, 2.0])
    f((1.0, 2.0))
""",
        "recompile.structure",
        ("2 structures", "tuple", "list"),
        6,
    ),
    "more and more keys": (
        """\
f = treadle.jit(lambda tree: sum(tree.values()))
with treadle.watch("recompile") as report:
    tree = {}
    for name in "abcd":
        tree[name] = 1.0
        f(tree)
""",
        "recompile.structure",
        ("4 structures", "'d'"),
        8,
    ),
    "committed and not": (
        """\
f = treadle.jit(lambda x: x.sum())
with treadle.watch("recompile") as report:
    f(tnp.ones(3))
    f(treadle.device_put(tnp.ones(3), treadle.devices()[0]))
""",
        "recompile.placement",
        ("`x` was uncommitted on cpu:0, committed to cpu:0",),
        6,
    ),
}


@pytest.mark.installed
@pytest.mark.cpu  # a sentence names the device
@pytest.mark.parametrize("case", CASES)
def test_a_cause_is_said_once(case: str, tmp_path: Path) -> None:
    text, kind, words, line = CASES[case]
    report = report_of(HEAD + text, tmp_path)
    finding = only(report, "recompile")
    assert finding.kind == kind
    for word in words:
        assert word in finding.what
    assert finding.place is not None
    assert finding.place.line == line
    assert finding.place.file == str(tmp_path / "program.py")
    assert finding.cost.seconds > 0
    assert finding.certain


SILENT = {
    "training and evaluation": """\
f = treadle.jit(lambda x: x.sum())
with treadle.watch("recompile") as report:
    for _ in range(3):
        f(tnp.ones(64))
        f(tnp.ones(100))
        f(tnp.ones(17))
""",
    "a flag": """\
f = treadle.jit(lambda x, train: x * train, static_argnums=1)
with treadle.watch("recompile") as report:
    f(1.0, True)
    f(1.0, False)
""",
    "layers of several shapes": """\
f = treadle.jit(lambda w: w * 0.5)
with treadle.watch("recompile") as report:
    for shape in ((784, 512), (512, 256), (256, 10), (512,), (256,), (10,)):
        f(tnp.ones(shape))
""",
    "with and without a mask": """\
f = treadle.jit(lambda x, mask=None: x if mask is None else x * mask)
with treadle.watch("recompile") as report:
    f(tnp.ones(3))
    f(tnp.ones(3), tnp.ones(3))
""",
    "three functions of one definition, with other programs": """\
def power(n):
    return treadle.jit(lambda x: x ** n)

with treadle.watch("recompile") as report:
    for n in (2, 3, 4):
        power(n)(tnp.ones(3))
""",
    "two gradients of one function": """\
def loss(x, y):
    return (x * y).sum()

with treadle.watch("recompile") as report:
    treadle.jit(treadle.grad(loss))(tnp.ones(3), tnp.ones(3))
    treadle.jit(treadle.grad(loss, argnums=1))(tnp.ones(3), tnp.ones(3))
    treadle.jit(loss)(tnp.ones(3), tnp.ones(3))
""",
    "training in bfloat16": """\
f = treadle.jit(lambda x: x.sum())
with treadle.watch("recompile") as report:
    f(tnp.ones(3, "bfloat16"))
    f(tnp.ones(3))
""",
    "a setting for debugging": """\
f = treadle.jit(lambda x: x * 2.5)
with treadle.watch("recompile") as report:
    f(tnp.ones(3))
    with treadle.debug_nans(True):
        f(tnp.ones(3))
""",
    "a node with other metadata": """\
@treadle.tree_util.register_pytree_node_class
class Scale:
    def __init__(self, factor, up):
        self.factor, self.up = factor, up
    def tree_flatten(self):
        return (self.factor,), self.up
    @classmethod
    def tree_unflatten(cls, up, children):
        return cls(*children, up)

f = treadle.jit(lambda scale, x: scale.factor * x if scale.up else x / scale.factor)
with treadle.watch("recompile") as report:
    f(Scale(2.0, True), 3.0)
    f(Scale(2.0, False), 3.0)
""",
    "padded sizes": """\
f = treadle.jit(lambda x: x.sum())
with treadle.watch("recompile") as report:
    for n in (8, 16, 32, 64, 128):
        f(tnp.ones(n))
""",
    "two objects": """\
class Model:
    factor = 2
    def __init__(self, rate):
        self.rate = rate

f = treadle.jit(lambda model, x: model.rate * x, static_argnums=0)
with treadle.watch("recompile") as report:
    one, two = Model(1.0), Model(2.0)
    for _ in range(3):
        f(one, 1.0)
        f(two, 1.0)
""",
    "the same again and again": """\
f = treadle.jit(lambda x: x.sum())
with treadle.watch() as report:
    for _ in range(5):
        f(tnp.ones(3))
""",
}


@pytest.mark.installed
@pytest.mark.parametrize("case", SILENT)
def test_what_programs_need_is_not_said(case: str, tmp_path: Path) -> None:
    report = report_of(HEAD + SILENT[case], tmp_path)
    assert not report.findings(), report


@pytest.mark.installed
def test_another_device_is_explained_as_a_compilation(tmp_path: Path) -> None:
    text = """\
import treadle
import treadle.numpy as tnp
f = treadle.jit(lambda x: x.sum())
with treadle.watch("recompile") as report:
    for device in treadle.devices():
        f(treadle.device_put(tnp.ones(3), device))
"""
    (found,) = report_in_process(text, tmp_path, devices=4).findings()
    assert found.kind == "recompile.placement"
    assert line_of(found) == 6
    assert "`x` was committed to " in found.what
    assert "only compiled, for the program that was there, 3 times more" in str(found)


IN_SHARD_MAP = """\
import treadle
import treadle.numpy as tnp
mesh = treadle.make_mesh((4,), ("i",))
P = treadle.sharding.PartitionSpec
inner = treadle.shard_map(lambda x: x * 2, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
f = treadle.jit(inner)
with treadle.watch("recompile") as report:
    for n in (4, 12, 20, 28):
        f(tnp.ones(n))
"""


@pytest.mark.installed
def test_sizes_of_what_is_mapped_over_devices(tmp_path: Path) -> None:
    (found,) = report_in_process(IN_SHARD_MAP, tmp_path, devices=4).findings()
    assert (found.kind, line_of(found)) == ("recompile.shape", 9)
    assert "4, 12, 20, 28" in found.what


HOOKED = """\
import jax
import jax.numpy as jnp
import treadle
f = jax.jit(lambda x: (x * x).sum())
with treadle.watch("recompile") as report:
    for n in range(1, 9):
        f(jnp.ones(n))
    for _ in range(4):
        jax.jit(lambda x: x + 1)(jnp.ones(3))
"""


@pytest.mark.installed
def test_under_the_import_hook(tmp_path: Path) -> None:
    report = report_in_process(HOOKED, tmp_path, hooked=True)
    assert {(each.kind, line_of(each)) for each in report.findings()} == {
        ("recompile.shape", 7),
        ("recompile.function", 9),
    }


IN_THREADS = """\
import threading
f = treadle.jit(lambda x: (x * x).sum())

def work(first):
    for n in range(first, first + 4):
        f(tnp.ones(n))

f(tnp.ones(10))
with treadle.watch("recompile") as report:
    threads = [threading.Thread(target=work, args=(first,)) for first in (11, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.mark.installed
def test_calls_of_several_threads_are_one_finding(tmp_path: Path) -> None:
    finding = only(report_of(HEAD + IN_THREADS, tmp_path), "recompile")
    assert finding.kind == "recompile.shape"
    assert "9 sizes of axis 0 of `x`" in finding.what
    assert finding.place is not None
    assert finding.place.line == 8


@pytest.mark.installed
def test_nested_watches_hear_the_same_and_leave_nothing(tmp_path: Path) -> None:
    from treadle_ir.events import listeners  # noqa: PLC0415 - for this test

    before = [*listeners]
    text = """\
f = treadle.jit(lambda x: x.sum())
try:
    with treadle.watch("recompile") as report:
        for n in (3, 5):
            f(tnp.ones(n))
        with treadle.watch("recompile") as inner:
            for n in (6, 7):
                f(tnp.ones(n))
        raise RuntimeError
except RuntimeError:
    pass
"""
    names = run_program(HEAD + text, tmp_path)
    assert only(names["report"].report(), "recompile").kind == "recompile.shape"
    assert not names["inner"].findings()  # two misses
    assert listeners == before


def test_the_kinds_are_those_of_the_issue() -> None:
    wanted = "shape static function weak dtype hash context placement structure many"
    assert {kind.code for kind in KINDS} == {f"recompile.{word}" for word in wanted.split()}
    assert {kind.code for kind in KINDS} <= {*findings}


STRICT = """\
import numpy as np

@treadle.tree_util.register_pytree_node_class
class Strict:
    def __init__(self, x):
        if type(x) is object or not hasattr(x, "shape"):
            raise TypeError("an array")
        self.x = x
    def tree_flatten(self):
        return (self.x,), None
    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

f = treadle.jit(lambda strict: strict.x.sum())
with treadle.watch() as report:
    for n in (3, 5, 6, 7):
        f(Strict(tnp.ones(n)))
    batch = np.ones(100_000, np.float32)
    for n in range(20):
        f(Strict(batch))
"""


@pytest.mark.installed
def test_classes_that_refuse_to_be_built_without_arrays(tmp_path: Path) -> None:
    report = report_of(HEAD + STRICT, tmp_path)
    assert "axis 0 of `operand 0`" in only(report, "recompile").what
    assert ": operand 0 of <lambda>." in only(report, "transfer").what


def test_watching_does_not_change_results(tmp_path: Path) -> None:
    def run(text: str) -> Any:
        return run_program(HEAD + text, tmp_path)["y"]

    plain = run("y = treadle.jit(lambda x: x * 2.5 + 1)(tnp.ones(3))")
    watched = run(
        "with treadle.watch('recompile'):\n    y = treadle.jit(lambda x: x * 2.5 + 1)(tnp.ones(3))"
    )
    assert plain.tolist() == watched.tolist()
