"""`jit(f, passes=[...])`: users' passes run on the optimised program, and are verified."""

from typing import Any

import numpy as np
import pytest

from treadle_ir import (
    ArgumentError,
    Atom,
    Equation,
    Program,
    VerifyError,
    apply_patterns,
    ops,
    rewrite_pattern,
)
from treadle_ir.primitives.elementwise import Cosine, Sine
from treadle_ir.rewrite import PatternRewriter
from treadle_runtime import debug_callback, jit

X = np.arange(3, dtype=np.float32)


def cosines(program: Program) -> Program:
    """Replace each sine by a cosine."""
    equations = [
        each._replace(primitive=Cosine()) if isinstance(each.primitive, Sine) else each
        for each in program.equations
    ]
    return Program(program.parameters, tuple(equations), program.results)


def twice(x: Any) -> Any:
    return ops.add(ops.sine(x), ops.sine(x))


def test_a_pass_changes_what_is_compiled_and_nothing_else() -> None:
    function = jit(twice, passes=[cosines])
    np.testing.assert_allclose(function(X), 2 * np.cos(X), rtol=1e-6)
    np.testing.assert_allclose(jit(twice)(X), 2 * np.sin(X), rtol=1e-6)
    text = function.lower(X).as_text()
    assert "cosine" in text
    assert "stablehlo.sine" not in text
    assert [each.primitive.name for each in function.trace(X).program.equations] == [
        *("sine", "sine", "add"),
    ]


def test_passes_run_in_order_on_the_optimised_program() -> None:
    seen: list[list[str]] = []

    def look(program: Program) -> Program:
        seen.append([each.primitive.name for each in program.equations])
        return program

    jit(twice, passes=[look, cosines, "cse", look])(X)
    assert seen == [["sine", "add"], ["cosine", "add"]]  # equal sines were one already


def test_the_decorator_takes_passes() -> None:
    @jit(passes=(cosines,))
    def function(x: Any) -> Any:
        return ops.sine(x)

    np.testing.assert_allclose(function(X), np.cos(X), rtol=1e-6)


def test_passes_of_the_outer_function_run() -> None:
    inner = jit(lambda x: ops.sine(x), passes=[cosines])
    np.testing.assert_allclose(jit(lambda x: inner(x))(X), np.sin(X), rtol=1e-6)


def test_invalid_programs_are_refused() -> None:
    def backwards(program: Program) -> Program:
        return Program(program.parameters, program.equations[::-1], program.results)

    with pytest.raises(VerifyError) as caught:
        jit(twice, passes=[backwards])(X)
    assert "while: the pass backwards" in "".join(caught.value.__notes__)


def test_other_results_are_refused() -> None:
    def shorter(program: Program) -> Program:
        return Program(program.parameters, program.equations, ())

    def parameters(program: Program) -> Program:
        return Program(program.parameters * 2, program.equations, program.results)

    with pytest.raises(
        VerifyError, match=r"shorter changed the results of .* from \(f32\[3\]\) to \(\)"
    ):
        jit(twice, passes=[shorter])(X)
    with pytest.raises(VerifyError):
        jit(twice, passes=[parameters])(X)


def test_a_pass_that_drops_an_effect_is_refused() -> None:
    def silent(program: Program) -> Program:
        kept = [each for each in program.equations if not each.effects]
        return Program(program.parameters, tuple(kept), program.results)

    def noted(x: Any) -> Any:
        debug_callback(lambda x: None, x)
        return ops.sine(x)

    with pytest.raises(VerifyError, match="silent changed the effects"):
        jit(noted, passes=[silent])(X)


@pytest.mark.parametrize("passes", ["cse", 3, [3], [[cosines]], {"cse"}])
def test_passes_are_a_list_of_names_and_functions(passes: Any) -> None:
    with pytest.raises(ArgumentError, match="passes"):
        jit(twice, passes=passes)


def test_an_unknown_name_is_refused_at_once() -> None:
    with pytest.raises(ArgumentError, match="there is no pass 'cze'; did you mean"):
        jit(twice, passes=["cze"])


def test_patterns_make_passes() -> None:
    @rewrite_pattern(Sine)
    def sine_as_cosine(equation: Equation, rewriter: PatternRewriter) -> Atom:
        return rewriter.apply(Cosine(), equation.operands[0])

    def patterns(program: Program) -> Program:
        return apply_patterns(program, [sine_as_cosine])

    np.testing.assert_allclose(jit(twice, passes=[patterns])(X), 2 * np.cos(X), rtol=1e-6)
