"""Where two programs differ first."""

from __future__ import annotations

import pytest

from treadle_ir.core.equality import equal_programs
from treadle_ir.core.program import Program
from treadle_ir.text import Difference, first_difference, parse_program, print_program

TEXT = """\
treadle 1

program @p0(%0: f32[3], %1: f32[3]) -> (f32[3], f32[3]) {
  %2: f32[3] = sine %0
  %3: f32[3] = multiply %2, %1
  return %3, %2
}

program @main(%0: f32[3], %1: f32[2,3]) -> (f32[3], f32[3,2]) {
  %2: f32[3] = add %0, 0.5:f32
  %3, %4 = nested
  %5: f32[3,2] = transpose %1 {permutation=(1, 0)}
  return %3, %5
}
""".replace("%3, %4 = nested", "%3: f32[3], %4: f32[3] = call %0, %2 {program=@p0}")


def program(*changes: tuple[str, str]) -> Program:
    """Return the program with some lines changed."""
    text = TEXT
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return parse_program(text)


def test_equal_programs_do_not_differ() -> None:
    assert first_difference(program(), program()) is None
    renamed = parse_program(TEXT.replace("%", "%v"))
    assert first_difference(program(), renamed) is None


@pytest.mark.parametrize(
    ("changes", "place", "what", "left", "right"),
    [
        (
            [("= add %0, 0.5:f32", "= subtract %0, 0.5:f32")],
            "@main, equation 1",
            "the operation",
            "%2: f32[3] = add %0, 0.5:f32",
            "%2: f32[3] = subtract %0, 0.5:f32",
        ),
        (
            [("0.5:f32", "0.25:f32")],
            "@main, equation 1",
            "operand 2",
            "%2: f32[3] = add %0, 0.5:f32",
            "%2: f32[3] = add %0, 0.25:f32",
        ),
        (
            [("= call %0, %2", "= call %2, %0")],
            "@main, equation 2",
            "operand 1",
            "%3: f32[3], %4: f32[3] = call %0, %2 {program=@p0}",
            "%3: f32[3], %4: f32[3] = call %2, %0 {program=@p0}",
        ),
        (
            [("{program=@p0}", '{program=@p0, label="f"}')],
            "@main, equation 2",
            "attribute label",
            "%3: f32[3], %4: f32[3] = call %0, %2 {program=@p0}",
            '%3: f32[3], %4: f32[3] = call %0, %2 {program=@p0, label="f"}',
        ),
        (
            [("= multiply %2, %1", "= multiply %1, %2")],
            "@main, equation 2, program, equation 2",
            "operand 1",
            "%3: f32[3] = multiply %2, %1",
            "%3: f32[3] = multiply %1, %2",
        ),
        (
            [("  return %3, %2\n", "  return %2, %3\n")],
            "@main, equation 2, program",
            "result 1",
            "%3",
            "%2",
        ),
        (
            [("  return %3, %5\n", "  %6: f32[3] = sine %3\n  return %6, %5\n")],
            "@main, equation 4",
            "the number of equations",
            "return",
            "%6: f32[3] = sine %3",
        ),
        (
            [
                (
                    "program @main(%0: f32[3], %1: f32[2,3])",
                    "program @main(%0: f32[3], %1: f32[4,3])",
                ),
                ("-> (f32[3], f32[3,2]) {", "-> (f32[3], f32[3,4]) {"),
                ("%5: f32[3,2]", "%5: f32[3,4]"),
            ],
            "@main",
            "parameter 2",
            "f32[2,3]",
            "f32[4,3]",
        ),
    ],
)
def test_the_first_difference_is_named(
    changes: list[tuple[str, str]], place: str, what: str, left: str, right: str
) -> None:
    found = first_difference(program(), program(*changes))
    assert found == Difference(place, what, left, right)
    assert str(found) == f"{place}: {what}\n  left:  {left}\n  right: {right}"
    assert first_difference(program(*changes), program()) == Difference(place, what, right, left)


def test_parameters_that_one_program_lacks() -> None:
    one = parse_program("treadle 1\nprogram @main(%0: f32[]) -> (f32[]) {\n  return %0\n}")
    two = parse_program(
        "treadle 1\nprogram @main(%0: f32[], %1: i32[]) -> (f32[]) {\n  return %0\n}"
    )
    assert first_difference(one, two) == Difference("@main", "parameter 2", "nothing", "i32[]")


def test_deeply_nested_programs_are_compared_without_recursion() -> None:
    def nested(literal: str) -> Program:
        lines = ["treadle 1"]
        for level in range(3_000):
            inner = f"call %0 {{program=@p{level - 1}}}" if level else f"add %0, {literal}:f32"
            lines += [f"program @p{level}(%0: f32[]) -> (f32[]) {{", f"  %1: f32[] = {inner}"]
            lines += ["  return %1", "}"]
        return parse_program("\n".join(lines))

    found = first_difference(nested("1.0"), nested("2.0"))
    assert found is not None
    assert found.what == "operand 2"
    assert found.place.count("equation 1") == 3_000


def test_nothing_differs_exactly_where_programs_are_equal() -> None:
    texts = [
        TEXT,
        TEXT.replace("sine", "cosine"),
        TEXT.replace("0.5", "nan"),
        print_program(program()),
    ]
    for one in map(parse_program, texts):
        for other in map(parse_program, texts):
            assert (first_difference(one, other) is None) == equal_programs(one, other)
