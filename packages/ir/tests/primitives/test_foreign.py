"""Foreign calls: what they declare is what they have; they have text, and no kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from treadle_ir import ArrayType, MissingRuleError, ShapeError, bind, eval_rules, stage
from treadle_ir.core import PURE
from treadle_ir.core.effects import ForeignEffect
from treadle_ir.primitives.foreign import ForeignCall
from treadle_ir.text import parse_program, print_program

X = ArrayType((3, 4), np.dtype("f4"))
Y = ArrayType((4,), np.dtype("i4"))
CALL = ForeignCall("target", (Y,), ((0, 1),), ((0,),), (("eps", "0x3F000000 : f32"),))


def test_has_the_declared_types() -> None:
    assert CALL.infer(X) == (Y,)
    assert CALL.effects(X) == PURE
    assert replace(CALL, has_side_effect=True).effects(X) == {ForeignEffect()}


def test_layouts_have_to_fit() -> None:
    with pytest.raises(ShapeError, match="operand 0"):
        CALL.infer(Y)
    with pytest.raises(ShapeError, match="layouts"):
        CALL.infer(X, X)
    with pytest.raises(ShapeError, match="result 0"):
        replace(CALL, output_layouts=((0, 1),)).infer(X)


def test_memory_is_taken_over_by_what_fits() -> None:
    aliased = replace(CALL, input_output_aliases=((0, 0),))
    with pytest.raises(ShapeError, match="take over its memory"):
        aliased.infer(X)
    alike = replace(aliased, result_types=(X,), output_layouts=((0, 1),))
    assert alike.infer(X) == (X,)
    with pytest.raises(ShapeError, match=r"layout \(1, 0\)"):
        replace(alike, output_layouts=((1, 0),)).infer(X)


def test_text_is_read_back() -> None:
    call = replace(CALL, has_side_effect=True, vmap_method="sequential")
    program = stage(lambda x: bind(call, x), X).program
    assert "!foreign" in print_program(program)
    (equation,) = parse_program(print_program(program)).equations
    assert equation.primitive == call


def test_numpy_cannot_evaluate_it() -> None:
    assert "native" in (eval_rules.why_absent(ForeignCall) or "")
    with pytest.raises(MissingRuleError):
        bind(CALL, np.zeros((3, 4), np.float32))
