from treadle_ir.analysis import MemoryProfile, peak_memory
from treadle_ir.text import parse_program


def profile(text: str) -> MemoryProfile:
    return peak_memory(parse_program("treadle 1\n" + text))


def test_values_are_freed_after_their_last_use() -> None:
    found = profile(
        "program @main(%x: f32[10]) {\n"
        '  %a: f32[10] = sine %x @ "m.py":1\n'
        '  %b: f32[10] = sine %a @ "m.py":2\n'
        '  %c: f32[10] = sine %b @ "m.py":3\n'
        "  return %c\n}\n"
    )
    assert found.while_running == (80, 120, 120)
    assert (found.peak, found.at) == (120, 1)
    assert found.by_line() == {("", 0): 40, ("m.py", 1): 40, ("m.py", 2): 40}


def test_what_is_returned_stays() -> None:
    found = profile(
        "program @main(%x: f32[10]) {\n  %a: f32[10] = sine %x\n  %b: f32[10] = sine %x\n"
        "  %c: f32[10] = sine %x\n  return %a, %b, %c\n}\n"
    )
    assert found.while_running == (80, 120, 160)


def test_what_a_call_needs_inside_counts() -> None:
    body = (
        "program @f(%a: f32[10]) {\n"
        "  %b: f32[1000] = broadcast_in_dim 0.0:f32 {shape=(1000,), dimensions=()}\n"
        "  %c: f32[] = reduce_add %b {axes=(0,)}\n  %d: f32[10] = add %a, %c\n  return %d\n}\n"
    )
    found = profile(
        body
        + "program @main(%x: f32[10]) {\n  %y: f32[10] = call %x {program=@f}\n  return %y\n}\n"
    )
    assert found.peak == 40 + 4000 + 4


def test_a_program_without_equations() -> None:
    assert profile("program @main(%x: f32[10]) {\n  return %x\n}\n").peak == 40
