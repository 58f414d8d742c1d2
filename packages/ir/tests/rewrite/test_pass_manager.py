"""Pipelines of passes by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, PassManager, VerifyError, interpret, ops, stage
from treadle_ir.core.program import Program
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.rewrite.pass_manager import PASSES

F32 = ArrayType((3,), np.dtype(np.float32))


def twice() -> Program:
    return stage(lambda x: [ops.add(ops.sine(x), ops.sine(x))], F32).program


def test_passes_run_in_the_order_of_their_names() -> None:
    seen: list[tuple[str, int]] = []
    manager = PassManager(
        "cse, dce", after_each=lambda name, program: seen.append((name, len(program.equations)))
    )
    assert manager.names == ("cse", "dce")
    assert len(manager(twice()).equations) == 2
    assert seen == [("cse", 2), ("dce", 2)]


@pytest.mark.parametrize("name", PASSES)
def test_each_pass_keeps_what_a_program_computes(name: str) -> None:
    x = np.array([0.1, -2.0, 3.0], np.float32)
    program = twice()
    (before,) = interpret(program, x)
    (after,) = interpret(PassManager(name, verify_each=True)(program), x)
    np.testing.assert_array_equal(np.asarray(before), np.asarray(after))


def test_functions_are_passes() -> None:
    def nothing(program: Program) -> Program:
        return program

    assert PassManager(["fold", nothing]).names == ("fold", "nothing")


def test_an_unknown_name_is_refused_with_a_likely_one() -> None:
    with pytest.raises(ArgumentError, match="no pass 'fol'; did you mean 'fold'"):
        PassManager("fol")


def test_the_pass_that_returned_an_invalid_program_is_named() -> None:
    def breaking(program: Program) -> Program:
        return Program((), program.equations, program.results)

    with pytest.raises(VerifyError) as raised:
        PassManager([breaking], verify_each=True)(twice())
    assert "  while: the pass breaking" in raised.value.__notes__


def test_a_pass_that_returns_no_program_is_named() -> None:
    def forgetful(program: Program) -> Any:
        return None

    with pytest.raises(ArgumentError, match="the pass forgetful returned None") as caught:
        PassManager([forgetful])(twice())
    assert "while: the pass forgetful" in str(caught.value.__notes__)
