"""The graph that is drawn."""

from __future__ import annotations

from treadle_ir.drawing.graph import kind_of, merged, nodes_of, size_when_flat
from treadle_ir.text import parse_program

DOUBLING = "\n".join(
    [
        "treadle 1",
        *[
            f"program @p{n}(%0: f32[]) -> (f32[]) {{\n"
            + (
                f"  %1: f32[] = call %0 {{program=@p{n - 1}}}\n  %2: f32[] = call %1 {{program=@p{n - 1}}}\n"
                if n
                else "  %1: f32[] = sine %0\n  %2: f32[] = sine %1\n"
            )
            + "  return %2\n}"
            for n in range(60)
        ],
    ]
)


def test_the_size_is_known_without_inlining() -> None:
    sizes = [2]
    for _ in range(59):
        sizes.append(2 + 2 * sizes[-1])
    assert size_when_flat(parse_program(DOUBLING)) == sizes[-1]


def test_operations_have_colour_groups() -> None:
    assert [
        kind_of(name) for name in ("dot_general", "reduce_add", "select", "reshape", "sine")
    ] == [
        *("contract", "reduce", "choose", "move", "plain"),
    ]


def test_nodes_are_linked_in_both_directions() -> None:
    program = parse_program(
        "treadle 1\nprogram @main(%0: f32[], %1: f32[]) -> (f32[]) {\n"
        "  %2: f32[] = sine %0\n  %3: f32[] = sine %0\n  %4: f32[] = add %2, %3\n  return %4\n}"
    )
    nodes = nodes_of(program, ["x", "unused"])
    assert [node.label for node in nodes] == ["x", "sine", "sine", "add", "result"]
    for node in nodes:
        assert all(node in source.below for source in node.above)
        assert all(node in user.above for user in node.below)
    assert [node.label for node in merged(nodes)] == ["x", "sine ×2", "add", "result"]
