"""Patterns: what they replace, what they may not, and that what is computed stays the same."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArrayType, Elementwise, TreadleError, bind, interpret, ops, stage
from treadle_ir.analysis.verifier import verify
from treadle_ir.core.program import Program
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.elementwise import Add, Exponential, Log, Multiply, Negate, Sine
from treadle_ir.rewrite import apply_patterns, rewrite_pattern

F32 = ArrayType((3,), np.dtype(np.float32))
X = np.array([0.5, 1.0, 2.0], np.float32)


@rewrite_pattern(Exponential)
def exponential_of_logarithm(equation, rewriter):
    inner = rewriter.producer(equation.operands[0], Log)
    return None if inner is None else inner.operands[0]


@rewrite_pattern(Multiply)
def square_as_sum(equation, rewriter):
    """Rewrite `x * x` as `-(-x * x)`, which takes three equations."""
    x, y = equation.operands
    if x is not y:
        return None
    return rewriter.apply(Negate(), rewriter.apply(Multiply(), rewriter.apply(Negate(), x), x))


def names(program: Program) -> list[str]:
    return [equation.primitive.name for equation in program.equations]


def same(program: Program, rewritten: Program, *arrays: np.ndarray) -> None:
    verify(rewritten)
    assert rewritten.parameter_types == program.parameter_types
    assert rewritten.result_types == program.result_types
    for one, two in zip(interpret(program, *arrays), interpret(rewritten, *arrays), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(two), rtol=1e-6)


def test_a_result_is_replaced_by_an_operand_of_an_operand() -> None:
    program = stage(lambda x: [ops.sine(ops.exponential(ops.log(x)))], F32).program
    rewritten = apply_patterns(program, [exponential_of_logarithm])
    assert names(rewritten) == ["sine"]
    same(program, rewritten, X)


def test_equations_are_added_in_front() -> None:
    program = stage(lambda x: [ops.multiply(x, x)], F32).program
    rewritten = apply_patterns(program, [square_as_sum])
    assert names(rewritten) == [Negate.name, Multiply.name, Negate.name]
    same(program, rewritten, X)


def test_added_equations_have_the_line_of_the_one_that_they_replace() -> None:
    program = stage(lambda x: [ops.multiply(x, x)], F32).program
    (source,) = {equation.source for equation in program.equations}
    rewritten = apply_patterns(program, [square_as_sum])
    assert {equation.source for equation in rewritten.equations} == {source}


def test_without_a_match_the_program_is_the_same_object() -> None:
    program = stage(lambda x: [ops.sine(x)], F32).program
    assert apply_patterns(program, [exponential_of_logarithm, square_as_sum]) is program
    assert apply_patterns(program, []) is program


def test_nested_programs_are_rewritten_unless_they_are_left_out() -> None:
    inner = stage(lambda x: [ops.exponential(ops.log(x))], F32).program
    program = stage(lambda x: bind(Call(inner, "f"), x), F32).program
    (equation,) = apply_patterns(program, [exponential_of_logarithm]).equations
    assert isinstance(equation.primitive, Call)
    assert names(equation.primitive.program) == []
    assert apply_patterns(program, [exponential_of_logarithm], nested=False) is program


def test_a_pattern_for_a_family_sees_all_its_operations() -> None:
    seen = []

    @rewrite_pattern(Elementwise)
    def watching(equation, rewriter):
        seen.append(type(equation.primitive))

    apply_patterns(stage(lambda x: [ops.sine(ops.add(x, x))], F32).program, [watching])
    assert seen == [Add, Sine]


def test_new_equations_are_matched_in_their_turn() -> None:
    @rewrite_pattern(Add)
    def double(equation, rewriter):
        x, y = equation.operands
        return rewriter.apply(Multiply(), x, rewriter.literal(2.0, x)) if x is y else None

    @rewrite_pattern(Multiply)
    def by_two(equation, rewriter):
        return rewriter.apply(Sine(), equation.operands[0])

    scalar = ArrayType((), np.dtype(np.float32))
    program = stage(lambda x: [ops.add(x, x)], scalar).program
    assert names(apply_patterns(program, [double])) == [Multiply.name]
    assert names(apply_patterns(program, [double, by_two])) == [Sine.name]


def test_a_weak_result_stays_weak() -> None:
    @rewrite_pattern(Sine)
    def strong(equation, rewriter):
        return rewriter.apply(Convert(np.dtype(np.float32)), equation.operands[0])

    weak = ArrayType((), np.dtype(np.float32), weak=True)
    program = stage(lambda x: [ops.sine(x)], weak).program
    rewritten = apply_patterns(program, [strong])
    verify(rewritten)
    assert rewritten.result_types == program.result_types


def test_a_value_of_another_type_is_refused() -> None:
    @rewrite_pattern(Convert)
    def wrong(equation, rewriter):
        return equation.operands[0]

    program = stage(lambda x: bind(Convert(np.dtype(np.int32)), x), F32).program
    with pytest.raises(
        TreadleError, match=r"the pattern wrong replaced .* by a value of\s+type f32\[3\]"
    ):
        apply_patterns(program, [wrong])


def test_patterns_that_undo_each_other_are_refused() -> None:
    @rewrite_pattern(Sine)
    def there(equation, rewriter):
        return rewriter.apply(Negate(), equation.operands[0])

    @rewrite_pattern(Negate)
    def back(equation, rewriter):
        return rewriter.apply(Sine(), equation.operands[0])

    with pytest.raises(TreadleError, match="again and again"):
        apply_patterns(stage(lambda x: [ops.sine(x)], F32).program, [there, back])


def test_only_classes_of_operations_are_matched() -> None:
    with pytest.raises(ArgumentError, match="classes of operations"):
        rewrite_pattern()
    with pytest.raises(ArgumentError, match="classes of operations"):
        rewrite_pattern(Sine())  # type: ignore[arg-type]
