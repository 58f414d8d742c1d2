"""What a failure prints runs by itself, and shows both sides of the law that failed."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

import numpy as np
import pytest

from conformance.cases import chosen
from conformance.programs_pool import POOL
from conformance.reproduce import case, explained, script
from treadle_ir import ArrayType, bind, stage
from treadle_ir.primitives.elementwise import Sine
from treadle_ir.testing.examples import example

pytestmark = pytest.mark.programs

SINE: Final = example(Sine(), "f64[3]")
SHOWN: Final[dict[str, tuple[str, ...]]] = {
    "test_lowering": ("reference:", "compiled:"),
    "test_rewrites": ("treadle 1", "reference:", "compiled:"),
    "test_batching": ("reference:", "batched over two equal rows:"),
    "test_jvp": ("tangents:", "differences:"),
    "test_transpose": ("<Jv, w>:", "<v, J'w>:"),
}


def run(text: str) -> str:
    path = os.pathsep.join([str(p) for p in (os.getcwd(), *sys.path) if p])
    done = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_each_law_s_script_runs() -> None:
    """One process for all; each is a script of its own."""
    texts = [explained({"example": SINE, "seed": 1}, [], law) for law in SHOWN]
    scripts = [text.partition("\n\n")[2] for text in texts]
    parts = run('\nprint("====")\n'.join(scripts)).split("====\n")
    (wanted,) = np.sin([np.asarray(x) for x in SINE.operands(1)])
    for part, shown in zip(parts, SHOWN.values(), strict=True):
        assert [each for each in shown if each in part] == list(shown)
        assert str(wanted) in part
    _, forward, _, backward = parts[-1][parts[-1].index("<Jv, w>:") :].strip().split("\n")
    assert float(forward) == pytest.approx(float(backward), rel=1e-12)


@pytest.mark.slow
def test_operands_of_every_element_type_are_exact() -> None:
    examples = {each.types[0].dtype: each for each in chosen() if each.types and each.parses}
    scripts = []
    for each in examples.values():
        program, operands = case({"example": each}, []) or pytest.fail("no program")
        wanted = [np.asarray(x).tobytes().hex() for x in operands]
        scripts.append(script(program, operands, "test_text"))
        scripts.append(f"assert [x.tobytes().hex() for x in operands] == {wanted}")
    assert len(examples) > 12
    run("\n".join(scripts))


def test_operands_that_hypothesis_drew_are_taken() -> None:
    drawn = [np.array([1.5, 2.5, -3.5])]
    for operands, taken in (
        (drawn, True),
        ([[*drawn]], False),
        ([drawn[0][:2]], False),
        (3, False),
    ):
        found = case({"example": SINE, "operands": operands}, [])
        assert found is not None
        assert (found[1] is drawn) == taken


def test_a_program_of_the_pool_is_composed() -> None:
    found = case({"pooled": POOL["scan"], "composition": ("grad", "vmap")}, [])
    assert found is not None
    program, operands = found
    assert any(equation.primitive.name == "scan" for equation in program.equations)
    arguments = {"pooled": POOL["scan"], "composition": ("grad", "vmap")}
    assert 'show("NumPy:", [array("' in explained(arguments, [], "test_compositions")
    assert [ArrayType(np.shape(x), np.asarray(x).dtype) for x in operands] == [
        *program.parameter_types
    ]


def test_without_an_example_it_is_the_last_program_made() -> None:
    made = [
        stage(lambda x, n=n: bind(Sine(), x), ArrayType((n,), np.dtype("f4"))).program
        for n in (2, 3)
    ]
    assert "%0: f32[3]" in explained({}, made, "test_control")
    assert explained({}, [], "test_control") == ""
