import threading

import pytest

from treadle_ir import ArrayType, Program, VerifyError, ops, stage
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.events.kinds import listeners
from treadle_ir.primitives.call import Call, CustomJvpStaged, DeferredJvp
from treadle_ir.primitives.cumulative import CumulativeAdd
from treadle_ir.primitives.elementwise import Sine
from treadle_ir.rewrite import dce
from treadle_ir.testing.programs import check_program, check_programs, outermost, recorded
from treadle_ir.tracing.builder import Builder

F32 = ArrayType((3,), BY_NAME["f32"])


def sines(count: int) -> Program:
    build = Builder()
    x = build.parameter(F32)
    for _ in range(count):
        x = build.apply(Sine(), x)
    return build.program(x)


def calling(program: Program) -> Program:
    build = Builder()
    return build.program(build.apply(Call(program), build.parameter(F32)))


def broken() -> Program:
    whole = sines(2)
    return Program(whole.parameters, whole.equations[1:], whole.results)


def test_staged_and_rewritten_programs_are_recorded_in_order() -> None:
    with recorded() as programs:
        staged = stage(lambda x: [ops.negate(x), (ops.sine(x), x)[1]], F32).program
        shorter = dce(staged)
    assert programs == [staged, shorter]
    sines(1)
    assert len(programs) == 2
    assert not listeners


def test_what_other_threads_make_is_recorded() -> None:
    with recorded() as programs:
        thread = threading.Thread(target=sines, args=(1,))
        thread.start()
        thread.join()
    assert len(programs) == 1


def test_recordings_may_nest_and_overlap() -> None:
    outer, inner = recorded(), recorded()
    first, second = outer.__enter__(), inner.__enter__()
    program = sines(1)
    outer.__exit__(None, None, None)
    later = sines(2)
    inner.__exit__(None, None, None)
    assert first == [program]
    assert second == [program, later]
    assert not listeners


def test_the_outermost_stand_for_those_inside() -> None:
    inner, other = sines(1), sines(2)
    middle = calling(inner)
    outer = calling(middle)
    assert outermost([inner, other, middle, outer, outer]) == [other, outer]


def test_a_broken_program_is_found_and_shown() -> None:
    with pytest.raises(VerifyError, match="equation 0") as caught:
        check_programs([sines(1), broken()])
    assert any("%undefined" in note for note in caught.value.__notes__)
    with pytest.raises(VerifyError, match="equation 0"):
        check_programs([calling(broken())])


def test_two_programs_with_one_text_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the text was read before: it was read for the other program."""
    builds = [Builder(), Builder()]
    forth, back = (
        build.program(build.apply(CumulativeAdd(0, reverse), build.parameter(F32)))
        for build, reverse in zip(builds, (False, True), strict=True)
    )
    monkeypatch.setattr("treadle_ir.core.printing.attributes_text", lambda *_: " {axis=0}")
    known: set[tuple[int, int]] = set()
    check_programs([forth], known)
    check_programs([forth], known)
    with pytest.raises(AssertionError, match="another program"):
        check_programs([back], known)


def test_a_text_that_is_not_canonical_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(range(100))
    monkeypatch.setattr(
        "treadle_ir.testing.programs.print_program", lambda program: f"{program}# {next(names)}\n"
    )
    with pytest.raises(AssertionError, match="not canonical"):
        check_program(sines(1))


def test_known_texts_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known: set[tuple[int, int]] = set()
    check_programs([sines(3)], known)
    monkeypatch.setattr("treadle_ir.testing.programs.parse_program", lambda text: 1 / 0)
    check_programs([sines(3)], known)
    with pytest.raises(ZeroDivisionError):
        check_programs([sines(4)], known)


def test_at_most_so_many_equations_the_last_first() -> None:
    known: set[tuple[int, int]] = set()
    check_programs([broken(), sines(7), sines(3)], known, most=3)
    assert len(known) == 1
    with pytest.raises(VerifyError):
        check_programs([broken(), sines(7), sines(3)], known, most=4)


def test_python_functions_have_no_text() -> None:
    build = Builder()
    derivative = DeferredJvp(lambda primals, tangents: (primals, tangents), 0)
    x = build.parameter(F32)
    check_program(build.program(build.apply(CustomJvpStaged(sines(1), "f", derivative), x)))
