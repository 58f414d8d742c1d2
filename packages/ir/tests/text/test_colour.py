"""Programs in colour read as the plain ones once the codes are taken out."""

from __future__ import annotations

import re

import pytest

from treadle_ir.settings.declared import PPRINT_USE_COLOR
from treadle_ir.testing.examples import all_examples
from treadle_ir.text import coloured, wants_colour
from treadle_ir.tracing.builder import Builder

CODES = re.compile("\x1b\\[[\\d;]*m")


def test_only_codes_are_added() -> None:
    for each in [*all_examples()][::25]:
        build = Builder()
        results = build.apply_many(each.primitive, *map(build.parameter, each.types))
        text = str(build.program(*results))
        assert CODES.sub("", coloured(text)) == text


def test_names_types_and_values_are_coloured() -> None:
    assert coloured("%1: f32[3] = sine %0") == (
        "\x1b[35m%1\x1b[0m: \x1b[36mf32[3]\x1b[0m = \x1b[34;1msine\x1b[0m \x1b[35m%0\x1b[0m"
    )


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert not wants_colour()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert wants_colour()
    with PPRINT_USE_COLOR.override(False):
        assert not wants_colour()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour()
