"""What devices exchange, from the text of a program: bytes by the formulas of the ring algorithms."""

from __future__ import annotations

import pytest

from treadle_ir.analysis import Distribution, distributions, ring_bytes
from treadle_ir.text import parse_program

MESH = 'AbstractMesh(axis_sizes=(4, 2), axis_names=("data", "model"))'
ALL = '("data", "model")'
PARTS = '(("data",), ("model",))'
BODY = """treadle 1

program @inner(%0: f32[]) -> (f32[]) {
  %1: f32[] = all_reduce %0 {reduction="add", axis_names=("data", "model"), invariant=True} !named_axis
  return %1
}

program @part(%0: f32[2,3]) -> (f32[8,3]) {
  %1: f32[2,3] = all_reduce %0 {reduction="add", axis_names=("model",)} !named_axis
  %2: f32[8,3] = all_gather %1 {axis_names=("data",), size=4, axis=0, tiled=True} !named_axis
  %3: i32[] = axis_index {axis_names=("data",)} !named_axis
  %4: f32[] = reduce_add %0 {axes=(0, 1)}
  %5: f32[] = scan %4 {body=@inner, length=5, carries=1} !named_axis
  return %2
}

program @main(%0: f32[8,6]) -> (f32[32,6]) {
  %1: f32[32,6] = shard_map %0 {body=@part, mesh=MESH, in_layouts=(PARTS,), out_layouts=(PARTS,), manual_axes=ALL}
  return %1
}
"""


def only(text: str) -> Distribution:
    (found,) = distributions(
        parse_program(text.replace("MESH", MESH).replace("PARTS", PARTS).replace("ALL", ALL))
    )
    return found


@pytest.mark.parametrize(
    ("operation", "sent"),
    [
        ("all-reduce", 2 * 96 * 3 // 4),
        ("all-gather", 96 * 3),
        ("reduce-scatter", 96 * 3 // 4),
        ("all-to-all", 96 * 3 // 4),
        ("collective-broadcast", 96),
    ],
)
def test_bytes_of_the_ring(operation: str, sent: int) -> None:
    assert ring_bytes(operation, 96, 4) == sent
    assert ring_bytes(operation, 96, 1) == 0


def test_collectives_by_their_axes() -> None:
    found = [
        (each.operation, each.axis_names, each.devices, each.given, each.sent, each.times)
        for each in only(BODY).exchanges
    ]
    assert found == [
        ("all_reduce", ("model",), 2, 24, 24, 1),
        ("all_gather", ("data",), 4, 24, 72, 1),
        ("all_reduce", ("data", "model"), 8, 4, 7, 5),
    ]


def test_memory_of_each_device() -> None:
    found = only(BODY)
    assert (found.operand_bytes, found.bytes_per_device) == (8 * 6 * 4, 2 * 3 * 4)
    assert found.bytes_per_device < found.peak
    assert found.sent == 24 + 72 + 5 * 7
    assert found.mesh.size == 8


def test_programs_without_shard_maps_are_looked_at_once() -> None:
    text = ["treadle 1", "", "program @p0(%0: f32[]) -> (f32[]) {", "  return %0", "}"]
    for i in range(60):  # 2 ** 60 paths
        text += [
            "",
            f"program @p{i + 1}(%0: f32[]) -> (f32[]) {{",
            f"  %1: f32[] = call %0 {{program=@p{i}}}",
            f"  %2: f32[] = call %1 {{program=@p{i}}}",
            "  return %2",
            "}",
        ]
    assert distributions(parse_program("\n".join(text) + "\n")) == []


def tower(innermost: str, name: str, type: str, effects: str = "") -> str:
    """Programs of which each calls the one before it twice, 60 levels: `p0` by its text, the last one by its name."""
    lines = [innermost]
    for i in range(60):
        lines += [
            f"program @{name if i == 59 else f'p{i + 1}'}(%0: {type}) -> ({type}) {{",
            f"  %1: {type} = call %0 {{program=@p{i}}}{effects}",
            f"  %2: {type} = call %1 {{program=@p{i}}}{effects}",
            "  return %2",
            "}",
            "",
        ]
    return "\n".join(lines)


def test_exchanges_of_programs_called_again_and_again_are_counted() -> None:
    start, inner, rest = BODY.split("\n\n", 2)
    called = tower(inner.replace("@inner", "@p0") + "\n", "inner", "f32[]", " !named_axis")
    exchanges = only("\n\n".join([start, called + "\n" + rest])).exchanges
    assert [(each.times, each.sent) for each in exchanges] == [(1, 24), (1, 72), (5 * 2**60, 7)]
    assert all(each.exact for each in exchanges)


def test_shard_maps_of_programs_called_again_and_again_are_counted() -> None:
    mapped = """program @part(%0: f32[2,3]) -> (f32[2,3]) {
  %1: f32[2,3] = all_reduce %0 {reduction="add", axis_names=("model",)} !named_axis
  return %1
}

program @p0(%0: f32[8,6]) -> (f32[8,6]) {
  %1: f32[8,6] = shard_map %0 {body=@part, mesh=MESH, in_layouts=(PARTS,), out_layouts=(PARTS,), manual_axes=ALL}
  return %1
}
"""
    found = only("treadle 1\n\n" + tower(mapped, "main", "f32[8,6]"))
    assert (found.times, found.exact) == (2**60, True)
    assert found.sent == 24  # each time


def test_exact_and_bounded_runs_are_listed_apart() -> None:
    inner, part, main = BODY.split("\n\n")[1:]
    loop = """program @cond(%0: f32[]) -> (bool[]) {
  %1: bool[] = is_finite %0
  return %1
}
"""
    part = part.replace(
        "  return %2",
        "  %6: f32[] = call %5 {program=@inner} !named_axis\n"
        "  %7: f32[] = while %6 {cond=@cond, body=@inner} !named_axis\n"
        "  return %2",
    )
    exchanges = only("\n\n".join(["treadle 1", inner, loop, part, main])).exchanges
    assert [(each.times, each.exact) for each in exchanges[2:]] == [(5 + 1, True), (1, False)]


def test_a_program_for_one_device_exchanges_nothing() -> None:
    text = "treadle 1\n\nprogram @main(%0: f32[3]) -> (f32[3]) {\n  return %0\n}\n"
    assert distributions(parse_program(text)) == []
