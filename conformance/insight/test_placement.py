"""Arrays that are moved, because other operands are committed elsewhere, and arrays that are transferred repeatedly."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import only, report_in_process, report_of

HEAD = "import numpy as np\nimport treadle\nimport treadle.numpy as tnp\n"

MOVED = {
    "an operation": (
        """\
with treadle.watch("placement") as report:
    a = treadle.device_put(tnp.ones(4_000_000), treadle.devices()[1])
    c = tnp.ones(4_000_000)
    d = a + c
""",
        "`c` went from cpu:0 to cpu:1 at program.py:7, because `a` is committed (device_put at program.py:5).",
        [7, 5],
    ),
    "a function of NumPy's": (
        """\
with treadle.watch("placement") as report:
    weights = {"k": treadle.device_put(tnp.ones((1500, 1500)), treadle.devices()[1])}
    x = tnp.ones((1500, 1500))
    y = tnp.dot(weights["k"], x)
""",
        "`x` went from cpu:0 to cpu:1 at program.py:7, because `weights['k']` is committed",
        [7, 5],
    ),
    "arguments of a function": (
        """\
step = treadle.jit(lambda weights, x: weights["k"] * x)
x = tnp.ones(4_000_000)
with treadle.watch("placement") as report:
    weights = {"k": treadle.device_put(tnp.ones(4_000_000), treadle.devices()[1])}
    for _ in range(3):
        y = step(weights, x)
""",
        "`x` went from cpu:0 to cpu:1 at program.py:9, because `weights['k']` is committed (device_put at "
        "program.py:7).",
        [9, 7],
    ),
    "a captured array": (
        """\
with treadle.watch("placement") as report:
    c = tnp.tanh(treadle.jit(lambda: tnp.ones(4_000_000))())
    step = treadle.jit(lambda x: x + c)
    y = step(treadle.device_put(tnp.ones(4_000_000), treadle.devices()[1]))
""",
        "captured array 0 went from cpu:0 to cpu:1 at program.py:7, because `x` is committed (device_put at "
        "program.py:7).",
        [7, 7],
    ),
}


@pytest.mark.installed
@pytest.mark.cpu  # sentences name the devices
@pytest.mark.parametrize("case", MOVED)
def test_what_is_moved_is_named_with_the_reason(case: str, tmp_path: Path) -> None:
    text, sentence, lines = MOVED[case]
    (found,) = report_in_process(HEAD + text, tmp_path, devices=2).findings()
    assert found.kind == "placement.moved"
    assert found.what.startswith(sentence)
    assert [place.line for place in found.where] == lines


@pytest.mark.installed
@pytest.mark.cpu  # sentences name the devices
def test_two_committed_operands_are_named_with_their_places(tmp_path: Path) -> None:
    text = """\
with treadle.watch("placement") as report:
    a = treadle.device_put(tnp.ones(3), treadle.devices()[1])
    c = treadle.device_put(tnp.ones(4)[:3], treadle.devices()[2])
    try:
        d = a + c
    except ValueError as error:
        assert "incompatible devices" in str(error)
"""
    (found,) = report_in_process(HEAD + text, tmp_path, devices=3).findings()
    assert found.kind == "placement.conflict"
    assert (
        found.what
        == "`a` is committed to cpu:1 and `c` to cpu:2, and add needs both on the same devices."
    )
    assert [place.line for place in found.where] == [8, 5, 6]


@pytest.mark.installed
def test_small_arrays_and_explicit_moves_are_not_said(tmp_path: Path) -> None:
    text = """\
with treadle.watch() as report:
    a = treadle.device_put(tnp.ones(4_000_000), treadle.devices()[1])
    b = treadle.device_put(treadle.device_put(tnp.ones(4_000_000), treadle.devices()[0]), treadle.devices()[1])
    d = a + b + 2.0 * tnp.ones(())
    key = treadle.random.key(0)
    e = treadle.jit(lambda x, n: x + n)(d, tnp.ones(()))
"""
    assert not report_in_process(HEAD + text, tmp_path, devices=2).findings()


@pytest.mark.installed
def test_moves_under_the_import_hook_and_in_a_thread(tmp_path: Path) -> None:
    text = """\
import threading
import jax
import jax.numpy as jnp
import treadle

def work():
    a = jax.device_put(jnp.ones(4_000_000), jax.devices()[1])
    c = jnp.ones(4_000_000)
    return a + c

with treadle.watch() as report:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
"""
    (found,) = report_in_process(text, tmp_path, devices=2, hooked=True).findings()
    assert found.kind == "placement.moved"
    assert [place.line for place in found.where] == [9, 7]


REPEATED = {
    "an argument": (
        """\
batch = np.ones((64, 1000), np.float32)
step = treadle.jit(lambda state, batch: state + batch.sum())
with treadle.watch("transfer") as report:
    state = tnp.zeros(3)
    for _ in range(1000):
        state = step(state, batch)
""",
        "1,000 times, 256 MB: argument `batch` of <lambda>.",
        9,
        "batch = treadle.device_put(batch)",
    ),
    "a leaf of a tree": (
        """\
batch = {"x": np.ones((64, 1000), np.float32), "y": np.ones(64, np.float32)}
step = treadle.jit(lambda batch: batch["x"].sum() + batch["y"].sum())
with treadle.watch("transfer") as report:
    for _ in range(20):
        step(batch)
""",
        "20 times, 5.1 MB: argument `batch['x']` of <lambda>.",
        8,
        "",
    ),
    "under vmap": (
        """\
xs = np.ones((64, 1000), np.float32)
step = treadle.jit(treadle.vmap(lambda x: x.sum()))
with treadle.watch("transfer") as report:
    for _ in range(20):
        step(xs)
""",
        "20 times, 5.1 MB: argument `x` of <lambda>.",
        8,
        "xs = treadle.device_put(xs)",
    ),
}


@pytest.mark.installed
@pytest.mark.parametrize("case", REPEATED)
def test_the_same_elements_in_each_step_are_said(case: str, tmp_path: Path) -> None:
    text, words, line, code = REPEATED[case]
    finding = only(report_of(HEAD + text, tmp_path), "transfer")
    assert finding.kind == "transfer.repeated"
    assert words in finding.what
    assert finding.what.startswith("The same elements went from the host to ")
    assert finding.place is not None
    assert finding.place.line == line
    assert finding.cost.bytes >= 5_000_000
    assert finding.code == code


FRESH = {
    "other batches": """\
step = treadle.jit(lambda batch: batch.sum())
with treadle.watch() as report:
    for n in range(20):
        step(np.full((64, 1000), n, np.float32))
""",
    "one buffer with other elements": """\
step = treadle.jit(lambda batch: batch.sum())
batch = np.zeros((64, 1000), np.float32)
with treadle.watch() as report:
    for n in range(20):
        batch += 1
        step(batch)
""",
    "slices of a data set": """\
step = treadle.jit(lambda batch: batch.sum())
data = np.zeros((640, 1000), np.float32)
with treadle.watch() as report:
    for n in range(10):
        step(data[64 * n : 64 * n + 64])
""",
    "a small array": """\
step = treadle.jit(lambda x: x.sum())
x = np.ones(100, np.float32)
with treadle.watch() as report:
    for n in range(20):
        step(x)
""",
    "random keys and numbers": """\
step = treadle.jit(lambda key, x: treadle.random.normal(key, (3,)) + x)
key = treadle.random.key(0)
with treadle.watch() as report:
    for n in range(20):
        step(treadle.random.fold_in(key, n), 1.5)
""",
    "many random keys": """\
step = treadle.jit(treadle.vmap(lambda key: treadle.random.normal(key, ())))
with treadle.watch() as report:
    for n in range(20):
        step(treadle.random.split(treadle.random.key(n), 1000))
""",
    "transferred once": """\
step = treadle.jit(lambda batch: batch.sum())
batch = treadle.device_put(np.ones((64, 1000), np.float32))
with treadle.watch() as report:
    for n in range(20):
        step(batch)
""",
}


@pytest.mark.installed
@pytest.mark.parametrize("case", FRESH)
def test_transfers_that_are_needed_are_not_said(case: str, tmp_path: Path) -> None:
    report = report_of(HEAD + FRESH[case], tmp_path)
    assert not report.findings(), report
