"""`closure_convert` and `linear_transpose` of functions that use references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import closure_convert, grad, linear_transpose
from treadle_ir import ArgumentError, ops, stage, type_of
from treadle_ir.refs import Ref, new_ref
from treadle_ir.tracing import interpret_unchecked as interpret

X, ONE, TWO = np.float32(3.0), np.float32(1.0), np.float32(2.0)


def doubling(ref: Any, x: Any) -> Any:
    """Double what the reference holds, and return its product with a number."""
    ref[...] = ops.multiply(ref[...], TWO)
    return ops.multiply(ref[...], x)


def test_a_converted_function_reads_and_writes_at_each_call() -> None:
    ref = new_ref(ONE)
    converted, hoisted = closure_convert(lambda x: doubling(ref, x), X)
    assert ref[...] == 1.0
    assert [converted(X, *hoisted), converted(X, *hoisted)] == [6.0, 12.0]
    assert ref[...] == 4.0


def test_a_converted_function_takes_other_references_than_the_examples() -> None:
    first, second = new_ref(ONE), new_ref(np.array([1, 5, 7], np.float32))
    converted, hoisted = closure_convert(doubling, first, X)
    assert converted(second.at[1], X, *hoisted) == 30.0
    assert first[...] == 1.0
    np.testing.assert_array_equal(second[...], [1, 10, 7])
    for wrong, message in ((ONE, "not a reference, but was a reference"), (first, "given as")):
        with pytest.raises(ArgumentError, match=f"(?s){message}.*fix:"):
            closure_convert(lambda r, s: s[...], first, second)[0](wrong, first)


def test_derivatives_of_a_converted_function_see_what_it_writes() -> None:
    def loss(y: Any) -> Any:
        ref = new_ref(y)
        converted, hoisted = closure_convert(lambda x: doubling(ref, x), X)
        return ops.multiply(converted(y, *hoisted), ref[...])  # 2 y * y * 2 y

    assert grad(loss)(X) == 12 * X**2


def test_a_linear_function_runs_its_known_part_once() -> None:
    ref = new_ref(ONE)
    transposed = linear_transpose(lambda x: doubling(ref, x), X)
    assert ref[...] == 2.0
    assert transposed(ONE) == transposed(ONE) == (2.0,)
    assert ref[...] == 2.0


def test_a_linear_function_within_a_program() -> None:
    def function(y: Any) -> Any:
        ref = new_ref(y)
        (slope,) = linear_transpose(lambda x: doubling(ref, x), X)(ONE)
        return [slope, ref[...]]

    staged = stage(function, type_of(X))
    np.testing.assert_array_equal(interpret(staged.program, X), [6.0, 6.0])


def test_what_linear_transpose_refuses() -> None:
    ref = new_ref(ONE)

    def writes(x: Any) -> Any:
        ref[...] = x
        return x

    with pytest.raises(
        ArgumentError, match=r"(?s)writes to a reference to f32\[\].*fix: return it"
    ):
        linear_transpose(writes, X)
    with pytest.raises(
        ArgumentError, match=r"(?s)an argument is a reference.*fix: let the function"
    ):
        linear_transpose(doubling, ref, X)
    assert isinstance(ref, Ref)
    assert ref[...] == 1.0
