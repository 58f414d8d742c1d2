"""Attributes, constants and trees of MLIR's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jaxlib.mlir.dialects import stablehlo as hlo

import treadle
from treadle.errors import ArgumentError, RangeError
from treadle.extend.core import Primitive
from treadle.interpreters import mlir

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def primitive(rule: Callable[..., Any]) -> Primitive:
    """An operation whose result is like its operand, with this builder."""
    made = Primitive("test_ir_values")
    made.def_abstract_eval(lambda x, **_: x)
    mlir.register_lowering(made, rule)
    return made


def within(body: Callable[[Any, Any], Any]) -> None:
    """Do it in a rule, with its context and its operand."""

    def rule(ctx: Any, x: Any) -> Any:
        body(ctx, x)
        return x

    treadle.jit(primitive(rule).bind).lower(X)


ATTRIBUTES: list[tuple[object, str]] = [
    (True, "true"),
    (np.bool_(True), "true"),
    (3, "3 : i64"),
    (2**40, "1099511627776 : i64"),
    (2.5, "2.500000e+00 : f64"),
    ("abc", '"abc"'),
    (np.int32(3), "3 : i32"),
    (np.float16(2), "2.000000e+00 : f16"),
    (np.uint8(2), "2 : ui8"),
    (np.arange(3), "dense<[0, 1, 2]> : tensor<3xi64>"),
    (np.arange(3) > 1, "dense<[false, false, true]> : tensor<3xi1>"),
    ([1, "a"], '[1, "a"]'),
    ((1, (2,)), "[1, [2]]"),
    ({"a": [1]}, "{a = [1]}"),
    (np.dtype(np.float32), "f32"),
]
"""What `jax.interpreters.mlir.ir_attribute` of JAX 0.10.2 gives."""


def test_attributes() -> None:
    def body(ctx: Any, x: Any) -> None:
        assert [str(mlir.ir_attribute(value)) for value, _ in ATTRIBUTES] == [
            text for _, text in ATTRIBUTES
        ]
        three = mlir.i32_attr(3)
        assert mlir.ir_attribute(three) is three
        for wrong in (None, 1 + 2j, np.float32, ctx.avals_in[0]):
            with pytest.raises(ArgumentError, match="cannot be an attribute"):
                mlir.ir_attribute(wrong)
        with pytest.raises(RangeError):
            mlir.ir_attribute([2**64])

    within(body)


def test_constants_of_classes_of_ones_own() -> None:
    class Mine:
        value = 3

    class Derived(Mine):
        value = 4

    given: list[Any] = []

    def handler(x: Mine, aval: Any) -> Any:
        given.append(aval)
        return mlir.ir_constant(np.float32(x.value))

    mlir.register_constant_handler(Mine, handler)

    def rule(ctx: Any, x: Any) -> Any:
        (one,), other = mlir.ir_constants(Mine()), mlir.ir_constant(Derived())
        total = hlo.broadcast_in_dim(x.type, hlo.add(one, other), mlir.dense_int_array([]))
        return hlo.add(x, total)

    np.testing.assert_array_equal(treadle.jit(primitive(rule).bind)(X), X + 7)
    assert given == [None, None]
    with pytest.raises(ArgumentError, match="type_ must be a class"):
        mlir.register_constant_handler(3, handler)  # type: ignore[arg-type]


def test_trees_of_values_and_types() -> None:
    def body(ctx: Any, x: Any) -> None:
        leaves, structure = mlir.ir_tree_registry.flatten([x, (x, {"a": x}), None])
        assert [type(each) for each in leaves] == [type(x), type(x), dict, type(None)]
        assert structure.unflatten([1, 2, 3, 4]) == [1, (2, 3), 4]
        types = [x.type, (x.type, x.type)]
        assert mlir.flatten_ir_types(types) == [x.type] * 3
        assert mlir.unflatten_ir_values_like_types(iter([1, 2, 3]), types) == [1, (2, 3)]
        with pytest.raises(ArgumentError, match="2 values are given for 3 types"):
            mlir.unflatten_ir_values_like_types([1, 2], types)

    within(body)
