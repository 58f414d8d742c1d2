"""Programs as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, drawing, ops, stage
from treadle_ir.core.program import Program
from treadle_ir.errors.kinds import ArgumentError

F32 = ArrayType((3,), np.dtype(np.float32))
NAMESPACE = "{http://www.w3.org/2000/svg}"


def labels(picture: str) -> list[str]:
    """Return the texts of the pills."""
    root = ElementTree.fromstring(picture)
    return sorted([str(each.text) for each in root.iter(f"{NAMESPACE}text")])


def staged(*names: str) -> Program:
    """Return a program that applies operations of one operand, one after the other."""

    def chain(x: Any) -> list[Any]:
        for name in names:
            x = getattr(ops, name)(x)
        return [x]

    return stage(chain, F32).program


def test_each_operation_input_and_result_is_a_pill_with_a_tooltip() -> None:
    picture = drawing.svg(staged("sine", "exponential"))
    assert labels(picture) == ["%0", "exp", "result", "sine"]
    root = ElementTree.fromstring(picture)
    titles = [str(each.text) for each in root.iter(f"{NAMESPACE}title")]
    assert any(title.startswith("sine → f32[3]") for title in titles)
    assert len([*root.iter(f"{NAMESPACE}path")]) == 3


def test_parameters_have_the_names_that_are_given() -> None:
    assert "weights <w>" in labels(drawing.svg(staged("sine"), ["weights <w>"]))
    with pytest.raises(ArgumentError, match="2 names for 1 parameters"):
        drawing.svg(staged("sine"), ["a", "b"])


def test_operations_alike_share_a_pill() -> None:
    def halves(x: Any) -> list[Any]:
        parts = [ops.multiply(x, np.float32(n)) for n in range(3)]
        return [ops.add(ops.add(parts[0], parts[1]), parts[2])]

    assert "add ×2" in labels(drawing.svg(stage(halves, F32).program))


def test_calls_are_opened_and_dead_operations_left_out() -> None:
    def unused(x: Any) -> list[Any]:
        ops.cosine(x)
        return [ops.sine(x), ops.sine(x)]

    program = stage(unused, F32).program
    assert [each.primitive.name for each in drawing.flattened(program).equations] == ["sine"]
    assert labels(drawing.svg(program)) == ["%0", "2 results", "sine"]


def test_the_page_or_the_picture_has_the_colours() -> None:
    assert "<style>" in drawing.svg(staged("sine"))
    plain = drawing.svg(staged("sine"), standalone=False)
    assert "<style>" not in plain
    assert "http" not in plain
    assert '<svg class="graph"' in plain


def test_large_programs_are_refused() -> None:
    program = staged(*["sine"] * 30)
    with pytest.raises(ArgumentError, match="30 operations, which is more than 29"):
        drawing.svg(program, most=29)
    assert labels(drawing.svg(program, most=30)).count("sine") == 30


def test_a_program_without_operations_has_a_picture() -> None:
    assert labels(drawing.svg(stage(lambda x: [], F32).program)) == ["no operations"]
    assert labels(drawing.svg(stage(lambda x: [x], F32).program)) == ["%0", "result"]
