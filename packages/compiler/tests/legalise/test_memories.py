"""Where values are moved between the memories of a device and its host; the text is in lowering/test_memory.py."""

from __future__ import annotations

from collections.abc import Callable

from treadle_compiler.legalise.memories import Memories, place_memories, resulting_memories
from treadle_ir.text import parse_program

Golden = Callable[..., None]
HOST = "pinned_host"


def test_what_computes_gets_a_value_on_the_device_once(golden: Golden) -> None:
    golden(
        lambda each: place_memories(each, Memories((HOST,), (None, None))),
        """
    program @main(%0: f32[4]) -> (f32[4], f32[4]) {
      %1: f32[4] = sine %0
      %2: f32[4] = add %1, %0
      %3: f32[4] = to_memory %2 {kind="device"}
      %4: f32[4] = to_memory %1 {kind="pinned_host"}
      return %3, %4
    }
    """,
        """
    program @main(%0: f32[4]) -> (f32[4], f32[4]) {
      %1: f32[4] = to_memory %0 {kind="device"}
      %2: f32[4] = sine %1
      %3: f32[4] = add %2, %1
      %4: f32[4] = to_memory %2 {kind="pinned_host"}
      return %3, %4
    }
    """,
    )


def test_a_loop_moves_slices_and_stacks_them(golden: Golden) -> None:
    """Only what it carries is on the device before and after it."""
    golden(
        lambda each: place_memories(each, Memories((HOST, HOST), (HOST, None))),
        """
    program @p0(%0: f32[4], %1: f32[4]) -> (f32[4], f32[4]) {
      %2: f32[4] = to_memory %1 {kind="device"}
      %3: f32[4] = add %0, %2
      %4: f32[4] = to_memory %0 {kind="pinned_host"}
      return %3, %4
    }

    program @main(%0: f32[4], %1: f32[3,4]) -> (f32[4], f32[3,4]) {
      %2: f32[4], %3: f32[3,4] = scan %0, %1 {body=@p0, length=3, carries=1}
      return %2, %3
    }
    """,
        """
    program @p0(%0: f32[4], %1: f32[4]) -> (f32[4], f32[4]) {
      %2: f32[4] = to_memory %1 {kind="device"}
      %3: f32[4] = add %0, %2
      %4: f32[4] = to_memory %0 {kind="pinned_host"}
      return %3, %4
    }

    program @main(%0: f32[4], %1: f32[3,4]) -> (f32[4], f32[3,4]) {
      %2: f32[4] = to_memory %0 {kind="device"}
      %3: f32[4], %4: f32[3,4] = scan %2, %1 {body=@p0, length=3, carries=1}
      %5: f32[4] = to_memory %3 {kind="pinned_host"}
      return %5, %4
    }
    """,
    )


def test_a_call_that_only_moves_takes_a_value_where_it_is(golden: Golden) -> None:
    """It is written in place then, since parameters of functions are on the device."""
    golden(
        lambda each: place_memories(each, Memories((HOST,), (None, None))),
        """
    program @p0(%0: f32[4]) -> (f32[4]) {
      %1: f32[4] = to_memory %0 {kind="device"}
      return %1
    }

    program @p1(%0: f32[4]) -> (f32[4]) {
      return %0
    }

    program @main(%0: f32[4]) -> (f32[4], f32[4]) {
      %1: f32[4] = call %0 {program=@p0, label="f"}
      %2: f32[4] = call %0 {program=@p1}
      return %1, %2
    }
    """,
        """
    program @p0(%0: f32[4]) -> (f32[4]) {
      %1: f32[4] = to_memory %0 {kind="device"}
      return %1
    }

    program @p1(%0: f32[4]) -> (f32[4]) {
      return %0
    }

    program @main(%0: f32[4]) -> (f32[4], f32[4]) {
      %1: f32[4] = call %0 {program=@p0, label="f", inlining="lowering"}
      %2: f32[4] = to_memory %0 {kind="device"}
      %3: f32[4] = call %2 {program=@p1}
      return %1, %3
    }
    """,
    )


def test_branches_return_values_on_the_device(golden: Golden) -> None:
    golden(
        place_memories,
        """
    program @p0(%0: f32[4]) -> (f32[4]) {
      %1: f32[4] = to_memory %0 {kind="pinned_host"}
      return %1
    }

    program @p1(%0: f32[4]) -> (f32[4]) {
      return %0
    }

    program @main(%0: i32[], %1: f32[4]) -> (f32[4]) {
      %2: f32[4] = case %0, %1 {branches=(@p0, @p1)}
      return %2
    }
    """,
        """
    program @p0(%0: f32[4]) -> (f32[4]) {
      %1: f32[4] = to_memory %0 {kind="pinned_host"}
      %2: f32[4] = to_memory %1 {kind="device"}
      return %2
    }

    program @p1(%0: f32[4]) -> (f32[4]) {
      return %0
    }

    program @main(%0: i32[], %1: f32[4]) -> (f32[4]) {
      %2: f32[4] = case %0, %1 {branches=(@p0, @p1)}
      return %2
    }
    """,
    )


PLACED = """
    program @main(%0: f32[4]) -> (f32[4], f32[4]) {
      %1: f32[4] = to_memory %0 {kind="pinned_host"}
      %2: f32[4] = sine %0
      return %1, %2
    }
    """


def test_a_placed_program_is_returned_as_it_is(golden: Golden) -> None:
    golden(place_memories, PLACED)


def test_results_are_in_the_memories_where_the_program_has_them() -> None:
    program = parse_program(f"treadle 1\n{PLACED}")
    assert resulting_memories(program, None) == Memories((None,), (HOST, "device"))
    plain = parse_program("treadle 1\nprogram @main(%0: f32[4]) -> (f32[4]) {\n  return %0\n}\n")
    assert resulting_memories(plain, None) is None
    assert resulting_memories(plain, Memories((HOST,), (None,))) == Memories((HOST,), (HOST,))
