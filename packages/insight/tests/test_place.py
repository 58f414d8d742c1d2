"""Places: their lines, columns and marks, counted in characters."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treadle_insight import Place
from treadle_ir import ArrayType, ops, stage

F32 = np.dtype(np.float32)


def staged_place(line: str, folder: Path) -> Place:
    """Return the place of the last equation of a function with one line."""
    path = folder / "program.py"
    path.write_text(f"def f(x):\n    {line}\n", encoding="utf-8")
    linecache.checkcache(str(path))
    names: dict[str, Any] = {"ops": ops}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    program = stage(names["f"], ArrayType((2,), F32)).program
    return Place.of(program.equations[-1].source)


def test_a_place_has_file_line_columns_and_function(tmp_path: Path) -> None:
    place = staged_place("return [ops.log(x)]", tmp_path)
    assert place == Place(str(tmp_path / "program.py"), 2, 13, "f", 2, 23)
    assert place.text == "return [ops.log(x)]"
    assert place.marked == "ops.log(x)"
    assert place.marks == " " * 8 + "^" * 10
    assert str(place) == "program.py:2"


def test_columns_count_characters_not_bytes(tmp_path: Path) -> None:
    place = staged_place("ä = 'ö'; return [ops.log(x)]", tmp_path)
    assert place.marked == "ops.log(x)"
    assert place.marks.index("^") == place.text.index("ops")


def test_wide_characters_take_two_columns(tmp_path: Path) -> None:
    place = staged_place("数 = '数'; return [ops.log(x)]", tmp_path)
    assert place.marked == "ops.log(x)"
    assert place.marks.index("^") == place.text.index("ops") + 2


@pytest.mark.parametrize(
    "columns",
    [(0, 0, 0), (5, 2, 24)],  # unknown; the whole line
    ids=["unknown", "whole"],
)
def test_marks_that_add_nothing_are_left_out(columns: tuple[int, int, int], tmp_path: Path) -> None:
    start, end_line, stop = columns
    place = staged_place("return [ops.log(x)]", tmp_path)
    assert Place(place.file, 2, start, "f", end_line, stop).marks == ""


def test_marks_of_several_lines_go_to_the_end_of_the_first(tmp_path: Path) -> None:
    place = staged_place("return [ops.log(\n        x)]", tmp_path)
    assert place.marks == " " * 8 + "^" * len("ops.log(")


def test_a_place_without_a_file() -> None:
    assert Place("", 0).show() == "an unknown place"
    assert Place("", 0).marks == ""
