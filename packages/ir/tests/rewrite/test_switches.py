import pytest

from treadle_ir import Program
from treadle_ir.rewrite import ALL, DEFAULT, SIMPLIFY, enabled, optimise, simplify
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
    assert mnemonics(optimise(program)) == ["add", "subtract"]
    assert mnemonics(optimise(program, names=ALL)) == []
    assert mnemonics(optimise(program, names={"log_exp"})) == ["add", "subtract"]
    assert mnemonics(optimise(program, names={"cancel_add_sub"})) == ["exponential", "log"]
    assert simplify(program, names=()) is program
    with pytest.raises(ValueError, match="there is no simplification `sqrt_log`"):
        simplify(program, names={"sqrt_log"})


def test_the_setting_chooses() -> None:
    assert enabled() == DEFAULT == ALL - {"cancel_add_sub"}
    with SIMPLIFY.override(False):
        assert enabled() == frozenset()
        assert len(optimise(parse_program(TEXT)).equations) == 4
    with SIMPLIFY.override("all"):
        assert enabled() == ALL
        assert mnemonics(optimise(parse_program(TEXT))) == []
    with SIMPLIFY.override("log_exp, cancel_add_sub"):
        assert enabled() == {"cancel_add_sub", "log_exp"}
    with pytest.raises(
        ValueError, match=r"names 'cancel_sub_add', .* did you mean 'cancel_add_sub'"
    ):
        SIMPLIFY.override("cancel_sub_add").__enter__()


INTEGERS = """treadle 1
program @main(%x: i32[], %y: i32[]) {
  %a: i32[] = add %x, %y
  %b: i32[] = subtract %a, %x
  return %b, %a
}
"""


def test_integers_cancel_always() -> None:
    for names in (DEFAULT, frozenset[str]()):
        assert mnemonics(optimise(parse_program(INTEGERS), names=names)) == ["add"]
