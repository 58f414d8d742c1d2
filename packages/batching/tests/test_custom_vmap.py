from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from treadle_batching import custom_vmap, sequential_vmap, vmap
from treadle_ir import ArgumentError, ArrayType, ShapeError, interpret, ops, stage
from treadle_ir.errors import StructureError

X = np.arange(3.0)
TWO = np.float64(2.0)
F64 = ArrayType((), np.dtype("f8"))


def told(seen: list[Any]) -> Any:
    """Return a sum of products whose rule multiplies by 10, to recognise it."""

    @custom_vmap
    def function(x: Any, d: Any) -> Any:
        return {"out": ops.multiply(x, d["y"])}

    @function.def_vmap
    def rule(axis_size: int, in_batched: Any, x: Any, d: Any) -> Any:
        seen.append((axis_size, in_batched, np.shape(x), np.shape(d["y"])))
        one = ops.multiply(np.float64(10.0), x) if in_batched[0] else x
        return {"out": ops.multiply(one, d["y"])}, {"out": True}

    return function


def test_the_rule_runs_under_vmap_only() -> None:
    seen: list[Any] = []
    function = told(seen)
    assert function(TWO, {"y": TWO})["out"] == 4.0
    assert seen == []
    found = vmap(function, (0, {"y": None}))(X, {"y": TWO})["out"]
    np.testing.assert_array_equal(found, 20 * X)
    assert seen == [(3, [True, {"y": False}], (3,), ())]
    # The batch is brought to axis 0, keywords to their positions.
    found = vmap(lambda y: function(TWO, d={"y": y}), 1)(np.ones((2, 3)))["out"]
    np.testing.assert_array_equal(found, np.full((3, 2), 2.0))
    assert seen[1:] == [(3, [False, {"y": True}], (), (3, 2))]


def test_a_staged_call_keeps_its_rule() -> None:
    seen: list[Any] = []
    function = told(seen)
    program = stage(lambda x, y: [function(x, {"y": y})["out"]], F64, F64).program
    assert [*interpret(program, TWO, TWO)] == [4.0]
    found = vmap(lambda x: interpret(program, x, TWO)[0])(X)
    np.testing.assert_array_equal(found, 20 * X)
    assert [each[0] for each in seen] == [3]


def test_the_rule_is_vectorised_under_a_second_vmap() -> None:
    seen: list[Any] = []
    function = told(seen)
    both = vmap(vmap(lambda x, y: function(x, {"y": y})["out"], (0, None)), (None, 0))
    np.testing.assert_array_equal(both(X, np.arange(2.0)), 10 * np.outer(np.arange(2.0), X))
    assert seen == [(3, [True, {"y": False}], (3,), ())]


def test_results_without_a_batch() -> None:
    function = custom_vmap(lambda x: (x, TWO))
    function.def_vmap(lambda size, batched, x: ((x, np.float64(size)), (batched[0], False)))
    first, second = vmap(function, out_axes=(0, None))(X)
    np.testing.assert_array_equal(first, X)
    assert second == 3.0


def test_an_empty_batch() -> None:
    function = custom_vmap(lambda x: x)
    function.def_vmap(lambda size, batched, x: (x, True))
    assert vmap(function)(np.zeros((0, 2))).shape == (0, 2)
    assert vmap(sequential_vmap(ops.sine))(np.zeros((0, 2))).shape == (0, 2)


def test_errors() -> None:
    function = custom_vmap(lambda x: (x, x))
    with pytest.raises(ArgumentError, match="no batching rule was set"):
        function(TWO)
    for rule, error, message in (
        (lambda n, b, x: ((x, x), True), StructureError, "results and out_batched of one"),
        (lambda n, b, x: ((x, TWO), (True, True)), ShapeError, "result 1, which should have"),
        (lambda n, b, x: ((x, x), (True, 1)), ArgumentError, "is made of booleans"),
        (lambda n, b, x: x, ArgumentError, r"must return a pair \(results, out_batched\)"),
    ):
        function.def_vmap(rule)
        with pytest.raises(error, match=message):
            vmap(function)(X)
    for rule in (lambda n, b, x: (x, True), lambda n, b, x: ([x, x], [True, True])):
        function.def_vmap(rule)
        program = stage(lambda x: [*function(x)], F64).program
        with pytest.raises(StructureError, match="must return what the function returns"):
            vmap(partial(interpret, program))(X)
    with pytest.raises(ArgumentError, match="vmap_rule"):
        function.def_vmap(None)  # type: ignore[type-var]
    with pytest.raises(ArgumentError, match="fun"):
        custom_vmap(3)  # type: ignore[arg-type]


def test_a_rule_does_not_cover_what_its_function_closes_over() -> None:
    def closing_over(y: Any, x: Any) -> Any:
        function = custom_vmap(lambda x: ops.multiply(x, y))
        function.def_vmap(lambda n, b, x: (ops.multiply(x, y), True))
        return function(x)

    program = stage(lambda y, x: [closing_over(y, x)], F64, F64).program
    with pytest.raises(ArgumentError, match="vectorised over an array that it closes over"):
        vmap(lambda y: interpret(program, y, TWO)[0])(X)


def test_sequential_vmap_is_a_loop() -> None:
    runs = []

    @sequential_vmap
    def function(x: Any, y: Any) -> Any:
        runs.append(x.shape)
        return {"out": ops.multiply(ops.sine(x), y)}

    np.testing.assert_array_equal(vmap(function, (0, None))(X, TWO)["out"], 2 * np.sin(X))
    assert runs == [()]

    def out(x: Any, y: Any) -> Any:
        return function(x, y)["out"]

    twice = vmap(vmap(out, (0, None)), (None, 0))
    np.testing.assert_allclose(twice(X, X), np.outer(X, np.sin(X)))

    def mapped(x: Any) -> Any:
        return vmap(lambda x: [function(x, TWO)["out"]])(x)

    program = stage(mapped, ArrayType((3,), np.dtype("f8")))
    assert [equation.primitive.name for equation in program.program.equations][-1:] == ["scan"]
