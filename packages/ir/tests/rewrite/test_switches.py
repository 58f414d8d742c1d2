import pytest

from treadle_ir import Program
from treadle_ir.rewrite import ALL, SIMPLIFY, enabled, optimise, simplify
from treadle_ir.text import parse_program

TEXT = """treadle 1
program @main(%x: f32[], %y: f32[]) {
  %a: f32[] = add %x, %y
  %b: f32[] = subtract %a, %x
  %c: f32[] = exponential %b
  %d: f32[] = log %c
  return %d
}
"""


def mnemonics(program: Program) -> list[str]:
    return [equation.primitive.name for equation in program.equations]


def test_each_simplification_has_a_switch() -> None:
    program = parse_program(TEXT)
    assert mnemonics(optimise(program)) == []
    assert mnemonics(optimise(program, names={"log_exp"})) == ["add", "subtract"]
    assert mnemonics(optimise(program, names={"cancel_add_sub"})) == ["exponential", "log"]
    assert simplify(program, names=()) is program
    with pytest.raises(ValueError, match="there is no simplification `sqrt_log`"):
        simplify(program, names={"sqrt_log"})


def test_the_setting_turns_all_off() -> None:
    assert enabled() == ALL
    with SIMPLIFY.override(False):
        assert enabled() == frozenset()
        assert len(optimise(parse_program(TEXT)).equations) == 4
