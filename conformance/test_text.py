"""parse(print(p)) equals p, printing is canonical, and texts are the same in every process."""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
from typing import Any, Final

import numpy as np
import pytest

from conformance.cases import examples
from conformance.compositions import applies, program_of
from conformance.programs_pool import POOL, Pooled
from treadle_compiler import lower_program
from treadle_ir import ArrayType, Program, VerifyError, bind, stage
from treadle_ir.core.equality import equal_programs
from treadle_ir.primitives.cumulative import CumulativeAdd
from treadle_ir.rewrite import optimise
from treadle_ir.testing.examples import Example
from treadle_ir.testing.programs import check_program, check_programs, recorded
from treadle_ir.text import parse_program

pytestmark = pytest.mark.programs

_COMPOSITIONS: Final = (
    (),
    ("jvp",),
    ("grad",),
    ("vmap", "jit"),
    ("grad", "jit", "jvp"),
    ("grad", "vmap", "grad"),
    ("checkpoint", "grad", "checkpoint"),
)


@pytest.mark.parametrize("example", examples(lambda example: example.parses))
def test_round_trip(example: Example) -> None:
    program = stage(lambda *xs: bind(example.primitive, *xs), *example.types).program
    text = str(program)
    parsed = parse_program(text)
    assert equal_programs(parsed, program)
    assert str(parsed) == text


def pool() -> list[Any]:
    return [
        pytest.param(pooled, composition, id=f"{'.'.join(composition) or 'jit'}-{pooled.name}")
        for pooled, composition in itertools.product(POOL.values(), _COMPOSITIONS)
        if applies(pooled, composition)
    ]


@pytest.mark.parametrize(("pooled", "composition"), pool())
def test_programs_of_the_pool(pooled: Pooled, composition: tuple[str, ...]) -> None:
    """Check all programs that are staged on the way, including tapes and loop bodies, and the rewritten program."""
    with recorded() as programs:
        program = program_of(pooled, composition)
    assert any(each is program for each in programs)
    check_programs(programs)
    check_program(optimise(program))


def test_a_program_that_is_wrong_is_found(programs: list[Program]) -> None:
    """The law can fail: of all programs that a test makes, one uses a value that it does not define."""
    program = program_of(POOL["polynomial"], ())
    broken = Program(program.parameters, program.equations[1:], program.results)
    assert programs.pop() is broken
    with pytest.raises(VerifyError, match="defined") as raised:
        check_programs([*programs, broken])
    assert any("power" in note or "multiply" in note for note in raised.value.__notes__)


def test_a_text_that_loses_something_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law can fail: without its attributes a program is read as another, or not at all."""
    program = stage(
        lambda x: bind(CumulativeAdd(0, reverse=True), x), ArrayType((3,), np.dtype("f4"))
    )
    monkeypatch.setattr("treadle_ir.core.printing.attributes_text", lambda *_: " {axis=0}")
    with pytest.raises(AssertionError, match="another program"):
        check_program(program.program)


def digests(*, backwards: bool = False) -> str:
    """A line for each program of the pool: the hashes of its text and of what it is lowered to."""
    lines = []
    for pooled in reversed(POOL.values()) if backwards else POOL.values():
        for composition in _COMPOSITIONS[:4]:
            if applies(pooled, composition):
                program = program_of(pooled, composition)
                texts = str(program), lower_program(optimise(program)).text
                hashes = [hashlib.sha256(text.encode()).hexdigest()[:16] for text in texts]
                lines.append(f"{pooled.name} {'.'.join(composition)} {' '.join(hashes)}")
    return "\n".join(sorted(lines))


@pytest.mark.slow
def test_the_same_text_in_every_process() -> None:
    """Whatever hashes strings have there, and whatever was staged before."""
    script = (
        "import sys, treadle; from conformance.test_text import digests\n"
        "with treadle.enable_x64(): sys.stdout.write(digests(backwards={}))"
    )
    path = os.pathsep.join([str(p) for p in (os.getcwd(), *sys.path) if p])
    outputs = []
    for seed, backwards in (("1", False), ("2", True)):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", script.format(backwards)],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.splitlines())
    assert len(outputs[0]) > 3 * len(POOL)
    differing = [pair for pair in zip(*outputs, strict=True) if pair[0] != pair[1]]
    assert not differing
