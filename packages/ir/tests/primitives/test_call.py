from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ArrayType, ops, stage
from treadle_ir.errors import ParseError
from treadle_ir.primitives.call import Call
from treadle_ir.text import parse_program, print_program
from treadle_ir.tracing import bind

F32 = ArrayType((3,), np.dtype(np.float32))
BODY = stage(lambda x: [ops.sine(x)], F32).program


@pytest.mark.parametrize("inlining", ["", "lowering", "xla_early", "xla_late"])
def test_a_call_says_what_inlines_it(inlining: str) -> None:
    assert Call(BODY, "f", inlining).inlining == inlining


def test_an_unknown_way_of_inlining_is_refused() -> None:
    message = "call: inlining is 'never', not one of \"\", lowering, xla_early, xla_late"
    with pytest.raises(ArgumentError, match=message):
        Call(BODY, "f", "never")


def test_a_text_with_an_unknown_way_of_inlining_is_refused() -> None:
    program = stage(lambda x: bind(Call(BODY, "f", "xla_late"), x), F32).program
    text = print_program(program)
    assert "xla_late" in text
    with pytest.raises(ParseError, match="inlining is 'never'"):
        parse_program(text.replace("xla_late", "never"))
