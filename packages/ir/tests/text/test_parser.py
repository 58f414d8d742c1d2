import contextlib
import random
import time
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArrayType, Literal, ParseError, Program
from treadle_ir.analysis.verifier import verify
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.core.equality import equal_programs
from treadle_ir.primitives import elementwise as ew
from treadle_ir.primitives.call import Call, Checkpoint, CustomJvpStaged, DeferredJvp
from treadle_ir.primitives.compare import Compare, Select
from treadle_ir.rewrite import cse, dce, optimise
from treadle_ir.testing.examples import Example, all_examples
from treadle_ir.text import parse_program, print_program
from treadle_ir.tracing.builder import Builder

F32 = BY_NAME["f32"]
LONG = 20_000  # operations in a row: twenty times as many as Python may call one within the other
EXAMPLES = list(all_examples())
WRITTEN = [each for each in EXAMPLES if each.parses]


def staged_alone(example: Example) -> Program:
    build = Builder()
    results = build.apply_many(example.primitive, *map(build.parameter, example.types))
    return build.program(*results)


@pytest.mark.parametrize("example", WRITTEN, ids=lambda each: each.id)
def test_every_primitive_reads_back(example: Example) -> None:
    program = staged_alone(example)
    text = print_program(program)
    again = parse_program(text)
    assert equal_programs(again, program)
    assert print_program(again) == text


UNARY = (
    ew.Sine(),
    ew.Log(),
    ew.Exponential(),
    ew.Negate(),
    ew.Sqrt(),
    ew.IntegerPower(3),
    ew.Abs(),
)
BINARY = (ew.Add(), ew.Multiply(), ew.Subtract(), ew.Divide(), ew.Maximum())


@st.composite
def programs(draw: st.DrawFn, depth: int = 2) -> Program:
    build = Builder()
    name = draw(st.sampled_from(["f16", "bf16", "f32", "f64"]))
    dtype = BY_NAME[name]
    shape = draw(st.sampled_from([(), (3,), (2, 0, 1)]))
    kind_of = ArrayType(shape, dtype)
    values = [build.parameter(kind_of) for _ in range(draw(st.integers(1, 3)))]
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["unary", "binary", "literal", "select", "call"]))
        pick = st.sampled_from(values)
        if kind == "unary":
            values.append(build.apply(draw(st.sampled_from(UNARY)), draw(pick)))
        elif kind == "binary":
            values.append(build.apply(draw(st.sampled_from(BINARY)), draw(pick), draw(pick)))
        elif kind == "literal":
            bits = draw(st.binary(min_size=dtype.itemsize, max_size=dtype.itemsize))
            literal = Literal(
                np.frombuffer(bits, dtype)[0], ArrayType((), dtype, draw(st.booleans()))
            )
            values.append(build.apply(draw(st.sampled_from(BINARY)), draw(pick), literal))
        elif kind == "select":
            where = build.apply(
                Compare(draw(st.sampled_from(["lt", "eq"]))), draw(pick), draw(pick)
            )
            values.append(build.apply(Select(), where, draw(pick), draw(pick)))
        elif depth:
            inner = draw(programs(depth=depth - 1))
            if all(each is kind_of for each in inner.parameter_types):
                made = draw(st.sampled_from([Call(inner, 'é\n"x\\'), Checkpoint(inner)]))
                operands = [draw(pick) for _ in inner.parameters]
                values.extend(x for x in build.apply_many(made, *operands) if x.type is kind_of)
    return build.program(*draw(st.lists(st.sampled_from(values), max_size=3)))


@settings(max_examples=150, deadline=None)
@given(programs())
def test_random_programs_read_back(program: Program) -> None:
    verify(program)
    text = print_program(program)
    again = parse_program(text)
    assert equal_programs(again, program)
    assert print_program(again) == text


@settings(max_examples=100, deadline=None)
@given(programs())
def test_passes_keep_programs_whole(program: Program) -> None:
    for rewrite in (dce, cse, optimise):
        after = rewrite(program)
        verify(after)
        assert after.parameter_types == program.parameter_types
        assert after.result_types == program.result_types


def test_locations_read_back() -> None:
    text = 'treadle 1\nprogram @main(%0: f32[]) {\n  %1: f32[] = sine %0 @ "a \\"b\\".py":41\n  return %1\n}\n'
    program = parse_program(text)
    source = program.equations[0].source
    assert (source.file, source.line) == ('a "b".py', 41)
    assert '@ "a \\"b\\".py":41' in print_program(program, locations=True)


def test_spaces_comments_and_names_are_free() -> None:
    program = parse_program(
        "# a note\ntreadle 1\n\n"
        "program @f( %x :f32[2, 3] )  {   # here\n\n %long_name: f32[2,3]=sine   %x\nreturn %x\n}"
    )
    assert "%1: f32[2,3] = sine %0" in print_program(program)


def main(*lines: str, parameters: str = "%0: f32[3]", returned: str = "%0") -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"treadle 1\nprogram @main({parameters}) {{\n{body}  return {returned}\n}}\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "the text is empty"),
        ("program @main() {", 1, 1, "does not begin with `treadle`"),
        ("treadle 2\n", 1, 9, "version 2 of the format, but this reads version 1"),
        ("treadle 1\n", 2, 1, "there is no program"),
        ("treadle 1\nprogram @main() {\n", 3, 1, "the text ends inside a program"),
        (main("%1: f32[3] = sinee %0"), 3, 16, "there is no operation `sinee`"),
        (main("%1: f32[3] = sine %7"), 3, 21, "%7 is not defined here"),
        (main("%0: f32[3] = sine %0"), 3, 3, "%0 is defined twice"),
        (main("%1: f32[4] = sine %0"), 3, 7, "sine gives f32[3], but f32[4] is written here"),
        (main("%1: f32[3] = add %0"), 3, 16, "add cannot be applied to f32[3]"),
        (main("%1: f33[3] = sine %0"), 3, 7, "there is no element type `f33`"),
        (main("%1: f32[3] = sine %0 $"), 3, 24, "`$` cannot begin anything"),
        (main("%1: f32[3] = add %0, 300:i8"), 3, 24, "300 is out of the range of i8"),
        (main("%1: f32[3] = add %0, 1.5:i8"), 3, 24, "`1.5` is not an integer"),
        (main("%1: f32[3] = integer_power %0"), 3, 16, "the attribute `exponent` is missing"),
        (
            main("%1: f32[3] = integer_power %0 {exponent=2.5}"),
            3,
            16,
            "`exponent` is not of the kind int",
        ),
        (main("%1: f32[3] = integer_power %0 {power=2}"), 3, 16, "there is no attribute `power`"),
        (
            main('%1: f32[3] = compare %0, %0 {direction="xx"}'),
            3,
            16,
            "`direction` is not of the kind",
        ),
        (main("%1: f32[3] = call %0 {program=@other}"), 3, 33, "@other is not defined above"),
        (
            main("%1: f32[3] = call %0 {program=<opaque f>}"),
            3,
            33,
            "stands for something that has no text",
        ),
        (main("%1: f32[3] = sine %0 !callback"), 3, 25, "the effects of sine are: none"),
        (main(returned="%3"), 3, 10, "%3 is not defined here"),
        (main(parameters="%0: f32[99999999999999999999]"), 2, 19, "is not the size of an axis"),
        (
            main(parameters="%0: f32[9999999999,9999999999]"),
            2,
            19,
            "more elements than any machine can hold",
        ),
        (
            main("%1: bool[3] = convert %0 {dtype=bool, dtype=bool}"),
            3,
            41,
            "`dtype` is given twice",
        ),
    ],
)
def test_errors_say_where_and_what(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_program(text, file="p.treadle")
    error = caught.value
    assert what in str(error)
    assert (error.line, error.column) == (line, column)
    assert str(error).startswith(f"line {line}, column {column}: ")
    place, shown, caret = error.__notes__[0].split("\n")[:3]
    assert place == f"  at p.treadle:{line}:{column}"
    assert caret.index("^") - 6 == column - 1
    assert shown[6:] == (text.split("\n")[line - 1] if text else "")


def test_a_call_is_checked_against_its_program() -> None:
    text = "treadle 1\nprogram @f(%0: f32[2]) {\n  return %0\n}\n" + main(
        "%1: f32[2] = call %0 {program=@f}"
    ).removeprefix("treadle 1\n")
    with pytest.raises(ParseError, match="the parameter of the program has"):
        parse_program(text)


def test_a_custom_rule_is_refused_with_a_reason() -> None:
    build = Builder()
    x = build.parameter(ArrayType((), F32))
    body = build.program(build.apply(ew.Sine(), x))
    outer = Builder()
    y = outer.parameter(ArrayType((), F32))
    derivative = DeferredJvp(lambda primals, tangents: (primals, tangents), 0)
    text = print_program(outer.program(outer.apply(CustomJvpStaged(body, "f", derivative), y)))
    with pytest.raises(ParseError, match="a Python function"):
        parse_program(text)


@pytest.mark.parametrize(
    "line",
    [
        "%1: f32[3] = reshape %0 {shape=" + "(" * 100_000 + ")" * 100_000 + "}",
        "%1: f32[3] = reshape %0 {shape=" + "(" * 60 + ")" * 60 + "}",
        "%1: f32[3] = integer_power %0 {exponent=" + "9" * 100_000 + "}",
        "%1: f32[3] = add %0, " + "9" * 100_000 + ":f32",
        "%1: f32[3] = add %0, 1e999999999:f32",
        "%1: f32[3] = " + "a" * 1_000_000,
        "%1: f32[3] = sine " + "%0, " * 100_000 + "%0",
        '%1: f32[3] = call %0 {label="' + "\\" * 100_001,
        '%1: f32[3] = call %0 {label="\\u{ffffff}"}',
        "%1: f32[" + "1," * 100_000 + "1] = sine %0",
        "%1: f32[3] = call %0 {program=Call(program=@main)}",
        "%1: f32[3] = call %0 {program=__import__(a=1)}",
        "%1: f32[3] = reshape %0 {" + "shape" * 100_000 + "=(3,)}",
        "%1: f32[3] = reshape %0 {shape=" + "Direction" * 100_000 + "}",
        "%1: f32[3] = " + "sine" * 100_000 + " %0",
    ],
    ids=range(15),
)
def test_monstrous_texts_are_refused_quickly(line: str) -> None:
    start = time.process_time()  # not the clock on the wall: tests run side by side
    with contextlib.suppress(ParseError), short_messages():
        parse_program(main(line))
    assert time.process_time() - start < 2


@contextlib.contextmanager
def short_messages() -> Iterator[None]:
    """Whatever is raised shows a little of a text only."""
    try:
        yield
    except ParseError as error:
        shown = len(str(error)), *map(len, error.__notes__)
        if max(shown) > 2_000:
            pytest.fail(f"a message of {max(shown)} characters")
        raise


def test_damaged_texts_give_a_program_or_a_parse_error() -> None:
    rng = random.Random(20260101)
    texts = [print_program(staged_alone(each)) for each in EXAMPLES[:: max(1, len(EXAMPLES) // 40)]]
    texts.append(
        "treadle 1\nprogram @p0(%0: f32[]) -> (f32[]) {\n  %1: f32[] = sine %0\n  return %1\n}\n"
        "program @main(%0: f32[]) -> (f32[]) {\n"
        '  %1: f32[] = call %0 {program=@p0, label="x"} @ "f.py":3\n  return %1\n}\n'
    )
    pieces = [
        "%0", "%1", "f32[]", "i32[2]", "1:i32", "nan(0x1):f32", "(", ")", "{", "}", ",", "=", "@p0", "None",
        "-1", "99999999999", "\n", "return", '"', "()", "True", "f32", "<opaque f>", "1e400", "dense(", "set(",
    ]  # fmt: skip
    places: list[tuple[int, int]] = []
    for _ in range(4000):
        text = list(rng.choice(texts))
        for _ in range(rng.choice((1, 1, 2, 5))):
            at = rng.randrange(len(text))
            match rng.randrange(4):
                case 0:
                    del text[at : at + rng.randrange(1, 6)]
                case 1:
                    text.insert(at, rng.choice(pieces))
                case 2:
                    text[at] = chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x3000))))
                case 3:
                    other = rng.randrange(len(text))
                    text[at], text[other] = text[other], text[at]
            if not text:
                text = ["x"]
        try:
            program = parse_program("".join(text))
        except ParseError as error:
            places.append((error.line, error.column))
        else:
            verify(program)
            assert equal_programs(parse_program(print_program(program)), program)
    assert len(places) > 1000
    assert min(min(place) for place in places) >= 1


@pytest.mark.slow
def test_a_long_chain_is_printed_parsed_and_rewritten_without_recursion() -> None:
    build = Builder()
    y = x = build.parameter(ArrayType((), F32))
    half = build.literal(0.5, ArrayType((), F32))
    for _ in range(LONG // 2):
        y = build.apply(ew.Add(), build.apply(ew.Multiply(), y, half), x)
    again = parse_program(print_program(build.program(y)))
    verify(again)
    for rewritten in (again, dce(again), cse(again), optimise(again)):
        assert len(rewritten.equations) == LONG
