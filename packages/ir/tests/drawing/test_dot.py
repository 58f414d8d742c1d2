"""Programs in the language of Graphviz."""

from __future__ import annotations

import re

from treadle_ir.drawing import to_dot
from treadle_ir.text import parse_program

PROGRAM = parse_program(
    """treadle 1

program @p0(%0: f32[], %1: f32[]) -> (f32[], f32[]) {
  %2: f32[] = add %0, %1
  return %2, %2
}

program @main(%0: f32[3]) -> (f32[], f32[3]) {
  %1: f32[], %2: f32[3] = scan 0.0:f32, %0 {body=@p0, length=3, carries=1}
  return %1, %2
}"""
)


def test_nested_programs_are_clusters() -> None:
    text = to_dot(PROGRAM)
    assert re.findall(r"subgraph (\w+)", text) == ["cluster_p0", "cluster_main"]
    assert 'main_e0 -> p0_r [label="body", style=dashed, lhead=cluster_p0];' in text
    assert PROGRAM.to_dot() == text


def test_each_operand_is_an_edge_and_each_name_defined() -> None:
    text = to_dot(PROGRAM)
    defined = set(re.findall(r"^\s+(\w+) \[label", text, re.MULTILINE))
    edges = re.findall(r"(\w+) -> (\w+)", text)
    assert len(edges) == 2 + 2 + 1 + 2 + 1  # operands and results of both programs, and the call
    assert {name for edge in edges for name in edge} <= defined
    assert text.count("{") == text.count("}")
