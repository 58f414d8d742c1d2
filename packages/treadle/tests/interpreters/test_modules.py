"""Modules of MLIR that libraries make."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jaxlib.mlir.dialects import stablehlo as hlo

import treadle
from treadle.errors import ModuleError
from treadle.extend.core import Primitive
from treadle.interpreters import mlir

func: Any = importlib.import_module("jaxlib.mlir.dialects.func")  # whose stubs differ from it
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def primitive(rule: Callable[..., Any]) -> Primitive:
    """An operation whose result is like its operand, with this builder."""
    made = Primitive("test_modules")
    made.def_abstract_eval(lambda x, **_: x)
    mlir.register_lowering(made, rule)
    return made


TEXT = """module {
  func.func public @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %b = call @helper(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %b : tensor<2x3xf32>
  }
  func.func private @helper(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %b = stablehlo.tanh %a : tensor<2x3xf32>
    return %b : tensor<2x3xf32>
  }
}"""


def test_a_module_is_put_into_that_of_a_rule() -> None:
    seen: list[str] = []

    def rule(ctx: Any, x: Any) -> Any:
        for name in ("merged", "merged", "helper", "main"):
            module = mlir.ir.Module.parse(TEXT)
            seen.append(mlir.merge_mlir_modules(ctx.module_context.module, name, module))
            assert not [*module.body.operations]
            x = func.CallOp([x.type], mlir.ir.FlatSymbolRefAttr.get(seen[-1]), [x]).result
        return x

    made = primitive(rule)
    four = np.tanh(np.tanh(np.tanh(np.tanh(X))))
    np.testing.assert_allclose(treadle.jit(made.bind)(X), four, rtol=1e-6)
    assert seen == ["merged", "merged_0", "helper_1", "main_0"]
    np.testing.assert_allclose(
        treadle.jit(lambda x: made.bind(made.bind(x)))(X),
        np.tanh(np.tanh(np.tanh(np.tanh(four)))),
        rtol=1e-6,
    )


def test_functions_that_a_rule_writes_itself() -> None:
    """As JAX's users do: at the beginning of the module, and given a name by its table."""

    def rule(ctx: Any, x: Any) -> Any:
        ir = mlir.ir
        with ir.InsertionPoint.at_block_begin(ctx.module_context.module.body):
            function = func.FuncOp("mine", ([x.type], [x.type]), visibility="private")
        ctx.module_context.symbol_table.insert(function)
        block = function.add_entry_block()
        with ir.InsertionPoint(block):
            func.ReturnOp([hlo.negate(block.arguments[0])])
        return func.CallOp(function, [x]).results

    bind = primitive(rule).bind
    np.testing.assert_array_equal(treadle.jit(lambda x: bind(x) + bind(bind(x)))(X), 0 * X)


def test_a_context_of_ones_own() -> None:
    with mlir.make_ir_context() as context:
        module = mlir.ir.Module.parse(TEXT)
        assert module.context == context
        assert "loc(" in mlir.module_to_string(module)
        plain = mlir.module_to_string(module, enable_debug_info=False)
        assert "loc(" not in plain
        assert "stablehlo.tanh" in plain
        again = mlir.ir.Module.parse(mlir.module_to_bytecode(module))
        assert mlir.module_to_string(again, enable_debug_info=False) == plain
        other = mlir.ir.Module.parse("module {}")
        table = mlir.ir.SymbolTable(other.operation)
        assert mlir.merge_mlir_modules(other, "f", again, table) == "f"
        assert "helper" in table
        with pytest.raises(ModuleError, match="no function `main`"):
            mlir.merge_mlir_modules(other, "f", again)
