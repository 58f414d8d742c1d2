"""What settings take, of users and of the environment, and what they say of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from treadle_ir.settings.parsers import only, path_or_none, seconds, whole_number, words_among


def test_whole_numbers_and_their_digits() -> None:
    parse = whole_number(least=-1)
    assert [parse(value) for value in (3, "3", "-1", "0x10")] == [3, 3, -1, 16]
    for value in (True, 1.5, "1.5", "", None, [1]):
        with pytest.raises(ValueError, match="is not an integer"):
            parse(value)
    with pytest.raises(ValueError, match="is less than -1"):
        parse(-2)
    assert whole_number()(-(10**30)) == -(10**30)


def test_seconds() -> None:
    assert [seconds(value) for value in (1, "0.5", 2.5)] == [1.0, 0.5, 2.5]
    for value in ("soon", None, float("nan")):
        with pytest.raises(ValueError, match="is not a number of seconds"):
            seconds(value)


def test_paths() -> None:
    assert [path_or_none(value) for value in (None, "", "a", Path("b/c"))] == [
        *(None, None, "a"),
        str(Path("b/c")),
    ]
    with pytest.raises(ValueError, match="is not a path"):
        path_or_none(3)


def test_words() -> None:
    parse = words_among("one", "two")
    assert [parse(value) for value in ("one", "one, two", ["two"], "")] == [
        ("one",),
        ("one", "two"),
        ("two",),
        (),
    ]
    with pytest.raises(ValueError, match="names 'three', which is none of 'one', 'two'"):
        parse("one,three")
    with pytest.raises(ValueError, match="is not a list of words"):
        parse(3)


def test_the_one_value() -> None:
    parse = only(True, "what is missing")
    assert parse(True)
    assert parse("true")
    with pytest.raises(ValueError, match="asks for what is missing"):
        parse(False)
