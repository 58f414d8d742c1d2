"""Every attribute of an operation reaches the text that XLA compiles, or has a stated reason.

A CPU computes the same numbers at every precision and believes every promise about indices: that a rule passes them
on shows in the text alone.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest

from conformance.cases import chosen
from conformance.variants import accepted, is_opaque
from treadle_compiler import lower_program, lowering_rules
from treadle_ir import MissingRuleError, Primitive, UnsupportedError, bind, stage
from treadle_ir.core import field_names
from treadle_ir.testing.examples import Example

pytestmark = pytest.mark.programs

PLATFORMS: Final = ("cpu", "cuda")

Change: typing.TypeAlias = tuple[str, Any, Any]  # an attribute, its value, another value

_ANY: Final = object()
WITHOUT: Final[dict[tuple[str, str, Any, Any], str]] = {
    ("checkpoint", "stores", _ANY, _ANY): "speaks to reverse mode, which has run before lowering",
    ("checkpoint", "recomputes", _ANY, _ANY): "speaks to reverse mode and to the scheduler",
    ("checkpoint", "prevent_cse", _ANY, _ANY): "matters where a derivative recomputes the program",
    ("convert", "weak", _ANY, _ANY): "weak types promote otherwise, and compute the same",
    ("linear_solve", "symmetric", _ANY, _ANY): "speaks to transposition",
    ("gather", "unique_indices", _ANY, _ANY): "StableHLO's gather has no such promise",
    ("gather", "mode", "clip", "promise_in_bounds"): "XLA clips by itself",
    ("gather", "mode", "promise_in_bounds", "clip"): "XLA clips by itself",
    ("svd", "algorithm", "default", "divide_and_conquer"): "is the default of LAPACK",
    ("svd", "algorithm", "default", "jacobi"): "is the default of cuSOLVER",
    ("sort", "stable", _ANY, _ANY): "the order of equal elements is always kept",
    ("platform_index", "or_others", _ANY, _ANY): "says whether the platform may be another one",
    **{
        (name, "mode", "fill", "promise_in_bounds"): "XLA drops what is out of bounds by itself"
        for name in ("scatter_multiply", "scatter_maximum", "scatter_minimum")
    },
}


def is_lowered(example: Example) -> bool:
    return not is_opaque(example) and lowering_rules.status(type(example.primitive)) != "absent"


@cache
def lowered_examples() -> dict[type[Primitive], list[Example]]:
    found: dict[type[Primitive], list[Example]] = {}
    for example in filter(is_lowered, chosen()):
        found.setdefault(type(example.primitive), []).append(example)
    return found


def text(primitive: Primitive, example: Example, platform: str) -> str | None:
    """The StableHLO of one operation; None where the platform lacks it."""
    program = stage(lambda *xs: list(bind(primitive, *xs)), *example.types).program
    try:
        return lower_program(program, platform=platform).text
    except (MissingRuleError, UnsupportedError):
        return None


def changes(example: Example) -> Iterator[tuple[Change, Primitive]]:
    """Each flag and each word of an operation, changed to each other value that the typing rule accepts."""
    primitive = example.primitive
    hints = typing.get_type_hints(type(primitive))
    for name in field_names(type(primitive)):
        value = getattr(primitive, name)
        if isinstance(value, bool):
            others: list[Any] = [not value]
        elif typing.get_origin(hints[name]) is typing.Literal:
            others = [each for each in typing.get_args(hints[name]) if each != value]
        else:
            continue
        for other in others:
            try:
                replaced = dataclasses.replace(primitive, **{name: other})  # type: ignore[type-var]
            except (TypeError, ValueError):  # words that do not go together
                continue
            if accepted(replaced, example.types):
                yield (name, value, other), replaced


def reason(mnemonic: str, change: Change) -> tuple[str, str, Any, Any] | None:
    """The entry of `WITHOUT` that excuses a change, if there is one."""
    name, value, other = change
    keys = [(mnemonic, name, value, other), (mnemonic, name, _ANY, _ANY)]
    return next((key for key in keys if key in WITHOUT), None)


def silent(cls: type[Primitive]) -> set[Change]:
    """The changes of attributes that change the text of no example on any platform."""
    tried: set[Change] = set()
    heard: set[Change] = set()
    for example in lowered_examples()[cls]:
        for platform in PLATFORMS:
            before = text(example.primitive, example, platform)
            if before is None:
                continue
            for change, replaced in changes(example):
                after = text(replaced, example, platform)
                if after is not None:
                    tried.add(change)
                    if after != before:
                        heard.add(change)
    return tried - heard


@pytest.mark.parametrize("cls", lowered_examples(), ids=lambda cls: str(cls.name))
def test_each_attribute_reaches_the_text(cls: type[Primitive]) -> None:
    found = silent(cls)
    assert {change for change in found if reason(cls.name, change) is None} == set()
    used = {reason(cls.name, change) for change in found}
    assert {key for key in WITHOUT if key[0] == cls.name} <= used, "an entry that excuses nothing"
