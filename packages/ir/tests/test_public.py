"""The package by itself: what a program's text is does not depend on imports, and tools find what they need."""

from __future__ import annotations

import subprocess
import sys

import pytest

import treadle_ir

STAGED = """
import numpy as np
from treadle_ir import ArrayType, ops, stage
program = stage(lambda x: [ops.add(x, x)], ArrayType((3,), np.dtype(np.float32))).program
"""
MODULES = [
    "core.printing",
    "text",
    "text.parser",
    "analysis.verifier",
    "rewrite",
    "analysis",
    "tracing.builder",
    "core.equality",
    "testing.programs",
]


def printed(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def test_the_text_of_a_program_is_the_same_whatever_was_imported() -> None:
    alone = printed(STAGED + "print(str(program)); print(f'{program}'); print(program)")
    assert alone.count("%1: f32[3] = add %0, %0") == 3
    for module in MODULES:
        assert printed(f"import treadle_ir.{module}\n{STAGED}print(program)") in alone


def test_importing_the_package_does_not_import_what_tools_need() -> None:
    """Printing, parsing and rewriting are imported when they are asked for."""
    names = ", ".join(f"'treadle_ir.{module}'" for module in MODULES if module != "core.equality")
    assert printed(f"import sys, treadle_ir\nprint({{{names}}} & sys.modules.keys())") == "set()\n"


TOOL = """
import numpy as np
from treadle_ir import (
    ArrayType, Builder, equal_programs, interpret, ops, parse_program, print_program, rewrite, stage, verify_program,
)
from treadle_ir.primitives.elementwise import Multiply
build = Builder()
x = build.parameter(ArrayType((2,), np.dtype(np.float32)))
program = build.program(build.apply(Multiply(), x, build.literal(1.0, x.type)), x)
verify_program(program)
again = parse_program(str(program))
assert equal_programs(program, again) and print_program(again) == str(program)
small = rewrite.optimise(again)
assert len(small.equations) == 0 and small.results == (small.parameters[0],) * 2
print(*interpret(small, np.array([1, 2], np.float32)))
"""


def test_a_tool_builds_prints_parses_verifies_rewrites_and_runs() -> None:
    assert printed(TOOL) == "[1. 2.] [1. 2.]\n"


@pytest.mark.parametrize(
    "name", ["Builder", "parse_program", "print_program", "verify_program", "rewrite", "text"]
)
def test_what_tools_need_is_public(name: str) -> None:
    assert name in dir(treadle_ir)
    getattr(treadle_ir, name)
