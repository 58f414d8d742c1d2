"""Nothing recurses on the size of a program or of a tree: long chains, deep nesting, deep and wide trees."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.effort import BRIEF
from treadle_compiler import lower_program
from treadle_ir import ArrayType, ReferenceEvaluator, evaluating, interpret, stage
from treadle_ir.analysis import verify
from treadle_ir.core.equality import equal_programs
from treadle_ir.errors import StructureError
from treadle_ir.rewrite import optimise
from treadle_ir.text import parse_program

CHAIN: Final = 10_000 if BRIEF else 100_000  # Python calls a thousand functions within each other
COMPILED_CHAIN: Final = 2_000  # XLA takes seconds for these, and minutes for ten times as many
NESTING: Final = 200 if BRIEF else 400
DEEP: Final = 10_000

Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """The system as users have it; and the limit on recursion is the user's, so it is what it was afterwards."""
    before = sys.getrecursionlimit()
    yield
    assert sys.getrecursionlimit() == before


def chain(length: int) -> Function:
    """`length` operations, the second of each two undoing most of what the first did."""

    def function(x: Any) -> Any:
        for _ in range(length // 2):
            x = tnp.sin(x)
            x = x * 1.0001
        return x

    return function


def chain_in_numpy(length: int, x: float) -> tuple[float, float]:
    """Value and derivative of the chain, in float64."""
    derivative = 1.0
    for _ in range(length // 2):
        derivative *= 1.0001 * np.cos(x)
        x = 1.0001 * np.sin(x)
    return x, derivative


@pytest.mark.slow
def test_a_chain_is_run_and_differentiated() -> None:
    value, derivative = chain_in_numpy(CHAIN, 0.01)
    with treadle.enable_x64():
        actual = treadle.value_and_grad(chain(CHAIN))(0.01)
        pushed = treadle.jvp(chain(CHAIN), (0.01,), (1.0,))
    np.testing.assert_allclose(actual, (value, derivative), rtol=1e-9)
    np.testing.assert_allclose(pushed, (value, derivative), rtol=1e-9)


@pytest.mark.slow
def test_a_chain_is_staged_rewritten_lowered_and_run() -> None:
    gradient = treadle.jit(treadle.grad(chain(CHAIN)))
    program = gradient.trace(0.01).program
    assert len(program.equations) >= 2 * CHAIN
    verify(program)
    text = lower_program(optimise(program)).text
    assert text.count("stablehlo.cosine") == CHAIN // 2
    with evaluating(ReferenceEvaluator()):
        (result,) = interpret(program, np.float32(0.01))
    np.testing.assert_allclose(np.asarray(result), chain_in_numpy(CHAIN, 0.01)[1], rtol=2e-2)


@pytest.mark.slow
def test_a_chain_is_printed_and_parsed() -> None:
    program = stage(lambda x: [chain(CHAIN)(x)], ArrayType((3,), np.dtype("f4"))).program
    assert equal_programs(parse_program(str(program)), program)


@pytest.mark.slow
def test_a_chain_under_vmap_checkpoint_and_as_a_call() -> None:
    x = np.array([0.01, 0.02])
    length = CHAIN // 10
    with treadle.enable_x64():
        inner = treadle.jit(chain(length))
        function = treadle.vmap(treadle.checkpoint(lambda x: inner(x) + 1))
        program = stage(
            lambda x: [treadle.grad(lambda x: tnp.sum(function(x)))(x)],
            ArrayType((2,), np.dtype("f8")),
        ).program
    verify(program)
    with evaluating(ReferenceEvaluator()):
        (result,) = interpret(optimise(program), x)
    wanted = [chain_in_numpy(length, each)[1] for each in x]
    np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-9)


@pytest.mark.slow
def test_a_chain_is_compiled() -> None:
    value, derivative = chain_in_numpy(COMPILED_CHAIN, 0.5)
    with treadle.enable_x64():
        actual = treadle.jit(treadle.value_and_grad(chain(COMPILED_CHAIN)))(0.5)
    np.testing.assert_allclose(actual, (value, derivative), rtol=1e-9)


def nested(levels: int, wrap: Function = treadle.jit) -> Function:
    """A function wrapped `levels` times, with an operation in between."""

    def around(inner: Function) -> Function:
        return wrap(lambda x: inner(x) * 1.001 + 0.001)  # type: ignore[no-any-return]

    function: Function = wrap(lambda x: tnp.sin(x))
    for _ in range(levels - 1):
        function = around(function)
    return function


def nested_in_numpy(levels: int, x: float) -> tuple[float, float]:
    value, derivative = float(np.sin(x)), float(np.cos(x))
    for _ in range(levels - 1):
        value, derivative = value * 1.001 + 0.001, derivative * 1.001
    return value, derivative


@pytest.mark.slow
def test_nested_jits_are_run() -> None:
    with treadle.enable_x64():
        value = nested(NESTING)(0.5)
    np.testing.assert_allclose(value, nested_in_numpy(NESTING, 0.5)[0], rtol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize(
    "transformed",
    [
        treadle.grad,
        lambda f: treadle.jit(treadle.grad(f)),
        lambda f: lambda x: treadle.jvp(f, (x,), (1.0,))[1],
        lambda f: treadle.grad(treadle.checkpoint(f)),
        lambda f: lambda x: treadle.vmap(treadle.grad(f))(tnp.array([x, x]))[1],
        lambda f: treadle.grad(lambda x: tnp.sum(treadle.vmap(f)(tnp.array([x, x]))) / 2),
    ],
    ids=["grad", "jit_of_grad", "jvp", "grad_of_checkpoint", "vmap_of_grad", "grad_of_vmap"],
)
def test_nested_jits_are_transformed(transformed: Function) -> None:
    with treadle.enable_x64():
        value = transformed(nested(NESTING))(0.5)
    np.testing.assert_allclose(value, nested_in_numpy(NESTING, 0.5)[1], rtol=1e-11)


@pytest.mark.slow
def test_nested_checkpoints_and_branches() -> None:
    levels = NESTING // 8
    expected = nested_in_numpy(levels, 0.5)[1]

    def branching(function: Function) -> Function:
        return lambda x: treadle.lax.cond(x > -9, function, lambda x: x, x)

    checkpointed = nested(levels, treadle.checkpoint)
    branched = nested(levels, branching)
    with treadle.enable_x64():
        for function in (checkpointed, branched, treadle.jit(checkpointed)):
            np.testing.assert_allclose(treadle.grad(function)(0.5), expected, rtol=1e-11)


@pytest.mark.slow
def test_nested_jits_as_text() -> None:
    program = treadle.jit(treadle.grad(nested(NESTING))).trace(0.5).program
    verify(program)
    text = str(program)
    assert equal_programs(parse_program(text), program)
    lowered = lower_program(program)
    assert lowered.text == lower_program(parse_program(text)).text


@pytest.mark.slow
def test_grad_nested_five_deep() -> None:
    function: Function = lambda x: tnp.exp(2 * x) * x  # noqa: E731
    for _ in range(5):
        function = treadle.grad(function)
    with treadle.enable_x64():
        expected = np.exp(1.0) * (2**5 * 0.5 + 5 * 2**4)
        np.testing.assert_allclose(function(0.5), expected, rtol=1e-12)
        np.testing.assert_allclose(treadle.jit(function)(0.5), expected, rtol=1e-12)


def deep_tree(leaf: Any, depth: int = DEEP) -> Any:
    """A leaf in lists, tuples and dicts in turn."""
    tree = leaf
    for i in range(depth):
        tree = ([tree], (tree,), {"a": tree})[i % 3]
    return tree


def bottom(tree: Any) -> Any:
    while isinstance(tree, (list, tuple, dict)):
        tree = tree["a"] if isinstance(tree, dict) else tree[0]
    return tree


@pytest.mark.slow
def test_deep_trees_in_and_out() -> None:
    tree = deep_tree(np.float32(3))
    doubled = treadle.jit(lambda t: treadle.tree.map(lambda x: x * 2, t))
    assert bottom(doubled(tree)) == 6
    assert bottom(doubled(tree)) == 6  # the second call hits
    gradient = treadle.jit(treadle.grad(lambda t: bottom(t) ** 2))
    assert bottom(gradient(tree)) == 6
    assert bottom(treadle.vmap(lambda t: t)(deep_tree(np.arange(3)))).shape == (3,)
    assert bottom(treadle.checkpoint(lambda t: t)(tree)) == 3
    value = treadle.lax.scan(lambda t, _: (doubled(t), None), tree, None, length=2)[0]
    assert bottom(value) == 12


def test_deep_trees_that_differ_are_told_apart() -> None:
    with pytest.raises(StructureError, match="differ"):
        treadle.jvp(lambda t: t, (deep_tree(1.0),), (deep_tree(1.0, DEEP - 1),))
    with pytest.raises(TypeError) as raised:
        treadle.jit(lambda t: t)(deep_tree("text"))
    assert "text" in str(raised.value)


@pytest.mark.slow
def test_wide_trees_in_and_out() -> None:
    tree = {f"k{i}": (np.float32(i), [np.float32(1)]) for i in range(500)}
    doubled = treadle.jit(lambda t: treadle.tree.map(lambda x: x * 2, t))
    for _ in range(2):
        result = doubled(tree)
        assert [float(result[f"k{i}"][0]) for i in range(500)] == [2.0 * i for i in range(500)]
    gradient = treadle.jit(treadle.grad(lambda t: sum(x * x for x in treadle.tree.leaves(t))))(tree)
    assert [float(gradient[f"k{i}"][0]) for i in range(500)] == [2.0 * i for i in range(500)]
