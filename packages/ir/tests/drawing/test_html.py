"""Programs in notebooks."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, ops, stage
from treadle_ir.core.program import Program
from treadle_ir.drawing import html, program_html

F32 = ArrayType((3,), np.dtype(np.float32))


def chain(length: int) -> Program:
    def repeated(x: Any) -> list[Any]:
        for _ in range(length):
            x = ops.sine(x)
        return [x]

    return stage(repeated, F32).program


class Balance(HTMLParser):
    """Checks that tags are closed in order, and collects the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Balance:
    parser = Balance()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def test_a_program_is_a_line_a_picture_and_its_text() -> None:
    program = chain(2)
    page = program_html(program)
    seen = read(page)
    assert repr(program) in seen.text
    assert str(program).strip() in seen.text
    assert page.count("<svg") == 1
    assert page.count("<details") == 2  # both fold
    assert program._repr_html_() == page


@pytest.mark.parametrize("length", [html.MOST_PICTURED - 1, html.MOST_PICTURED])
def test_large_programs_have_no_picture(length: int) -> None:
    page = program_html(chain(length))
    assert ("<svg" in page) == (length < html.MOST_PICTURED)
    assert ("too many for a picture" in page) == (length >= html.MOST_PICTURED)


def test_long_texts_are_cut() -> None:
    seen = read(program_html(chain(1_000)))
    assert "more lines" in seen.text
    assert seen.text.count("= sine") < html.MOST_LINES


def test_what_is_shown_is_bounded() -> None:
    program = chain(html.MOST_PRINTED + 1)
    page = program_html(program)
    read(page)
    assert "too many to print" in page
    many = stage(lambda *xs: list(xs), *[F32] * 3_000).program
    page = program_html(many)
    assert "<svg" not in page
    assert len(page) < 10_000
