"""Parsers of settings: functions that convert a value from a user or the environment, for `Setting(parse=...)`.

Each raises a ValueError whose text continues "which ..." for an invalid value. `yes_or_no` and `one_of` are in
`context.py`, whose own setting needs a parser.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import TypeVar

from treadle_ir.errors.kinds import did_you_mean
from treadle_ir.settings.context import yes_or_no

T = TypeVar("T")


def whole_number(least: int | None = None) -> Callable[[object], int]:
    """Return a parser of integers, or of their digits, that are at least `least`."""

    def parse(value: object) -> int:
        try:
            number = int(value, 0) if isinstance(value, str) else operator.index(value)  # type: ignore[arg-type]  # asked
        except (TypeError, ValueError):
            raise ValueError("is not an integer") from None
        if isinstance(value, bool):
            raise ValueError("is not an integer")
        if least is not None and number < least:
            raise ValueError(f"is less than {least}")
        return number

    return parse


def names_of(*choices: str) -> Callable[[object], bool | str]:
    """Return a parser of yes, no, `all`, and comma-separated names among `choices`."""

    def parse(value: object) -> bool | str:
        try:
            return yes_or_no(value)
        except ValueError:
            names = {name.strip() for name in str(value).split(",")}
        if names == {"all"}:
            return "all"
        for name in sorted(names.difference(choices)):
            raise ValueError(
                f"names {name!r}, where there are `all`, {', '.join(choices)}{did_you_mean(name, choices)}"
            )
        return ",".join(sorted(names))

    return parse


def seconds(value: object) -> float:
    """Return a time in seconds, given as a number or its digits.

    Raises:
        ValueError: `value` is not a number.
    """
    try:
        number = float(value)  # type: ignore[arg-type]  # asked
    except (TypeError, ValueError):
        raise ValueError("is not a number of seconds") from None
    if number != number:
        raise ValueError("is not a number of seconds")
    return number


def path_or_none(value: object) -> str | None:
    """Return the path of a folder, given as a string or a path object; None for None and the empty string.

    Raises:
        ValueError: `value` is neither a string nor a path object.
    """
    if value is None or value == "":
        return None
    if isinstance(value, (str, os.PathLike)):
        return os.fsdecode(value)
    raise ValueError("is not a path")


def words_among(*known: str) -> Callable[[object], tuple[str, ...]]:
    """Return a parser of comma-separated words, or of a sequence of words, each among `known`."""

    def parse(value: object) -> tuple[str, ...]:
        given = value.split(",") if isinstance(value, str) else value
        if not isinstance(given, (list, tuple, set, frozenset)):
            raise ValueError("is not a list of words")
        words = tuple([str(word).strip() for word in given if str(word).strip()])
        for word in words:
            if word not in known:
                raise ValueError(f"names {word!r}, which is none of {', '.join(map(repr, known))}")
        return words

    return parse


def _spellings(value: object) -> tuple[str, ...]:
    if isinstance(value, bool):
        return ("true", "1", "yes", "on") if value else ("false", "0", "no", "off")
    return (str(value).lower(),)


def only(value: T, why: str) -> Callable[[object], T]:
    """Return a parser that accepts only `value`; `why` continues "which asks for" in the error for other values."""

    def parse(given: object) -> T:
        if isinstance(given, (str, int)) and str(given).lower() in _spellings(value):
            return value
        raise ValueError(f"asks for {why}")

    return parse
