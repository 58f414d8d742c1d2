"""Programs within rules that build MLIR."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from jaxlib.mlir.dialects import stablehlo as hlo

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, UnsupportedError
from treadle.extend.core import Primitive
from treadle.interpreters import mlir

func: Any = importlib.import_module("jaxlib.mlir.dialects.func")  # whose stubs differ from it
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def primitive(rule: Callable[..., Any]) -> Primitive:
    """An operation whose result is like its operand, with this builder."""
    made = Primitive("test_nested")
    made.def_abstract_eval(lambda x, **_: x)
    mlir.register_lowering(made, rule)
    return made


TABLE = np.array([1.0, 10.0, 100.0], np.float32)


def function(x: treadle.Array) -> treadle.Array:
    return tnp.sin(x) * tnp.tanh(x) + tnp.exp(x) / (1 + x * x) + TABLE


CLOSED = treadle.make_jaxpr(function)(X)
WANTED = np.sin(X) * np.tanh(X) + np.exp(X) / (1 + X * X) + TABLE


def test_a_program_in_place() -> None:
    def rule(ctx: Any, x: Any) -> Any:
        constants = [mlir.ir_constant(np.asarray(each)) for each in CLOSED.consts]
        results, tokens = mlir.jaxpr_subcomp(
            ctx.module_context,
            CLOSED.jaxpr,
            ctx.name_stack,
            mlir.TokenSet(),
            constants,
            x,
            dim_var_values=ctx.dim_var_values,
            const_lowering=ctx.const_lowering,
            outer_traceback=ctx.traceback,
        )
        assert tokens.effects() == set()
        return results

    np.testing.assert_allclose(treadle.jit(primitive(rule).bind)(X), WANTED, rtol=1e-6)


def test_a_program_as_a_function_of_the_module() -> None:
    """Twice under one name; each is called by another form of `CallOp`."""

    def rule(ctx: Any, x: Any) -> Any:
        make = mlir.lower_jaxpr_to_fun
        one, other = (
            make(ctx.module_context, "inner", CLOSED, [], num_const_args=0, in_avals=ctx.avals_in)
            for _ in range(2)
        )
        assert [one.name.value, other.name.value] == ["inner", "inner_0"]
        called = func.CallOp(one, [x])
        types = mlir.flatten_ir_types([mlir.aval_to_ir_types(each) for each in ctx.avals_out])
        name = mlir.ir.FlatSymbolRefAttr.get(other.name.value)
        values = mlir.flatten_ir_values([func.CallOp(types, name, [x])])
        return hlo.add(called.result, *mlir.unflatten_ir_values_like_types(values, types))

    bind = primitive(rule).bind
    np.testing.assert_allclose(treadle.jit(lambda x: bind(x))(X), 2 * WANTED, rtol=1e-6)
    looped = treadle.jit(lambda x: treadle.lax.fori_loop(0, 2, lambda _, x: bind(x) / 2e2, x))(X)
    twice = np.asarray(treadle.jit(function)(WANTED / 1e2)) / 1e2
    np.testing.assert_allclose(looped, twice, rtol=1e-5)


def test_calls_of_programs() -> None:
    made = primitive(partial(mlir.core_call_lowering, name="layer"))
    called = treadle.jit(lambda x: made.bind(x, call_jaxpr=CLOSED))(X)
    np.testing.assert_allclose(called, WANTED, rtol=1e-6)


def test_what_cannot_be_called_is_refused() -> None:
    def told(x: treadle.Array) -> treadle.Array:
        treadle.debug.callback(lambda x: None, x, ordered=True)
        return x

    ordered = treadle.make_jaxpr(told)(X)
    make = mlir.lower_jaxpr_to_fun
    cases: list[tuple[type[Exception], str, Callable[[Any, Any], Any]]] = [
        (UnsupportedError, "ordered", lambda m, x: make(m, "f", ordered, [])),
        (UnsupportedError, "constants", lambda m, x: make(m, "f", CLOSED, [], num_const_args=1)),
        (ArgumentError, "a Jaxpr", lambda m, x: make(m, "f", 3, [])),  # type: ignore[arg-type]
        (
            ArgumentError,
            "must be a Jaxpr",
            lambda m, x: mlir.jaxpr_subcomp(m, CLOSED, "", mlir.TokenSet(), [], x),  # type: ignore[arg-type]
        ),
    ]
    for error, message, case in cases:
        made = primitive(lambda ctx, x, case=case: case(ctx.module_context, x))
        with pytest.raises(error, match=message):
            treadle.jit(made.bind)(X)
