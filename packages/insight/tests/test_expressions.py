"""The expressions that users write, from places."""

from __future__ import annotations

from pathlib import Path

import pytest

from treadle_insight import Place
from treadle_insight.expressions import arguments_of, enclosed, guarded, operand_text, written_name


def place(folder: Path, lines: str, part: str, name: str = "f") -> Place:
    """Return the place of a part of a program."""
    path = folder / "program.py"
    path.write_text(lines)
    for number, line in enumerate(lines.splitlines(), 1):
        if part in line:
            start = line.index(part) + 1
            return Place(str(path), number, start, name, number, start + len(part))
    raise AssertionError(part)


@pytest.mark.parametrize(
    ("part", "name", "arguments"),
    [
        ("jnp.sqrt(x)", "sqrt", ["x"]),
        ("x / y", "/", ["x", "y"]),
        ("x > 0", "x > 0", ["x", "0"]),
        ("x.sum()", "sum", ["x"]),
        ("f(*rest)", "f", []),
        ("-x", "", ["x"]),
        ("x +", "", []),
    ],
)
def test_the_name_and_the_arguments(
    part: str, name: str, arguments: list[str], tmp_path: Path
) -> None:
    where = place(tmp_path, f"y = {part}\n", part)
    assert written_name(where) == name
    assert arguments_of(where) == arguments


def test_operands_are_enclosed_where_they_need_it(tmp_path: Path) -> None:
    assert operand_text(place(tmp_path, "y = round(x + 1)\n", "round(x + 1)")) == "(x + 1)"
    assert enclosed("p['w'].T") == "p['w'].T"


LINES = """\
r = jnp.sqrt(x)
inside = x > 0
y = jnp.where(inside, r, 0.0)
"""


def test_a_condition_that_is_bound_later_is_written_out(tmp_path: Path) -> None:
    slope = place(tmp_path, LINES, "jnp.sqrt(x)")
    where = place(tmp_path, LINES, "jnp.where(inside, r, 0.0)")
    assert guarded(slope, where, on_true=True) == "jnp.sqrt(jnp.where(x > 0, x, 1.0))"
    assert guarded(slope, where, on_true=False) == "jnp.sqrt(jnp.where(x > 0, 1.0, x))"


def test_nothing_is_written_for_another_function(tmp_path: Path) -> None:
    slope = place(tmp_path, LINES, "jnp.sqrt(x)", "root")
    where = place(tmp_path, LINES, "jnp.where(inside, r, 0.0)")
    assert not guarded(slope, where, on_true=True)


def test_an_operation_inside_of_the_choice_gives_the_whole_choice(tmp_path: Path) -> None:
    line = "y = jnp.where(x > 0, jnp.sqrt(x), 0.0)\n"
    slope = place(tmp_path, line, "jnp.sqrt(x)")
    where = place(tmp_path, line, "jnp.where(x > 0, jnp.sqrt(x), 0.0)")
    mended = "jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0)"
    assert guarded(slope, where, on_true=True) == mended
