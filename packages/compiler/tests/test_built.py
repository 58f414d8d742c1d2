"""Rules that build with MLIR's classes: what they build is called from the text around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from treadle_compiler import (
    BuildContext,
    HloValue,
    LoweringContext,
    ModuleError,
    build,
    ir_elements,
    ir_module,
    ir_type,
    lower_program,
    lowering_rule,
    pretty,
)
from treadle_ir import ArrayType, Primitive, Type, bind, ops, stage

X = ArrayType((3,), np.dtype("f4"))
NESTED = stage(lambda x: [ops.sine(x)], X).program


@dataclass(frozen=True)
class Built(Primitive):
    name = "test_built"
    kind: str

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        return operands


def _add(x: Any, y: Any) -> Any:
    made = ir_module().Operation.create("stablehlo.add", results=[ir_type(X)], operands=[x, y])
    return made.results[0]


def _own(inner: BuildContext, name: str, body: Callable[[Any], Any]) -> Any:
    """A function of the rule's own."""
    made = inner.add_function(name, [ir_type(X)], [ir_type(X)])
    block = made.add_entry_block()
    with ir_module().InsertionPoint(block):
        result = body(block.arguments[0])
        ir_module().Operation.create("func.return", operands=[result])
    return made


def _call(function: Any, operands: Sequence[Any]) -> list[Any]:
    attributes = {"callee": ir_module().FlatSymbolRefAttr.get(function.name.value)}
    types = [each.type for each in operands]
    made = ir_module().Operation.create(
        "func.call", results=types, operands=[*operands], attributes=attributes
    )
    return [*made.results]


def _joined(token: Any) -> Any:
    make = ir_module().Operation.create
    return make("stablehlo.after_all", results=[token.type], operands=[token]).results[0]


@lowering_rule(Built)
def built_lowering(context: LoweringContext, primitive: Built, x: HloValue) -> Sequence[HloValue]:
    def rule(inner: BuildContext, values: Sequence[Any]) -> Sequence[Any]:
        (value,) = values
        if primitive.kind == "constant":
            return [_add(value, ir_elements(np.array([1, 2, 3], np.float32)))]
        if primitive.kind == "call":
            (once,) = inner.call(NESTED, [value])
            return inner.call(NESTED, [once])
        if primitive.kind == "function":
            inner_one = _own(inner, "f0", lambda x: _add(x, x))
            return _call(_own(inner, "f0", lambda x: _call(inner_one, [x])[0]), values)
        if primitive.kind == "global":
            made = ir_module().Operation.parse("sdy.mesh @other = <[]>")
            ir_module().InsertionPoint(inner.module.body).insert(made)
        if primitive.kind == "twice":
            return [*values, *values]
        if primitive.kind == "token":
            inner.token_after = _joined(inner.token)
        return values

    return build(context, [x], rule)


def text(kind: str, times: int = 1) -> str:
    def function(x: Any) -> list[Any]:
        for _ in range(times):
            (x,) = bind(Built(kind), x)
        return [x]

    return pretty(lower_program(stage(function, X).program).text)


def test_is_called_as_a_function() -> None:
    found = text("constant", times=2)
    assert found.count("func.func private") == 2
    assert "dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>" in found


def test_calls_programs_of_the_module_around_it() -> None:
    found = text("call")
    assert found.count("stablehlo.sine") == 1
    assert found.count("call @f0") == 2


def test_equal_programs_have_equal_text() -> None:
    assert text("call", times=3) == text("call", times=3)


def test_functions_of_its_own_go_with_it() -> None:
    """Two of one name, the second of which calls the first; their names differ in the module, however often."""
    found = text("function", times=2)
    assert found.count("func.func private") == 6
    assert found.count("stablehlo.add %arg0, %arg0") == 2
    assert len(set(re.findall(r"func.func private (@\w+)", found))) == 6
    assert len(re.findall(r"call (@\w+)", found)) == 6
    assert found == text("function", times=2)


def test_other_operations_of_the_module_are_refused() -> None:
    with pytest.raises(ModuleError, match=r"not a function: sdy\.mesh"):
        text("global")


def test_a_rule_returns_what_was_declared() -> None:
    """More values than results, which would be a valid function that is called wrongly."""
    with pytest.raises(ModuleError, match="returned values of types"):
        text("twice")


def test_tokens_go_from_one_to_the_next() -> None:
    found = text("token", times=2)
    main = found[found.index("@main") :]
    assert main.count("create_token") == 1
    first, second = re.findall(r"(%\d+):2 = call @b\d\(%\S+, (\S+)\)", main)
    assert second[1] == f"{first[0]}#1"


def test_complex_constants() -> None:
    pair = ArrayType((2,), np.dtype("c8"))
    seen: list[str] = []

    @dataclass(frozen=True)
    class OfComplex(Primitive):
        name = "test_of_complex"

        def infer(self, *operands: Type) -> tuple[Type, ...]:
            return operands

    @lowering_rule(OfComplex)
    def lowering(context: LoweringContext, primitive: OfComplex, x: HloValue) -> Sequence[HloValue]:
        def rule(inner: BuildContext, values: Sequence[Any]) -> Sequence[Any]:
            made = ir_elements(np.array([1 + 2j, 3j], np.complex64))
            seen.append(str(made.owner))
            return [made]

        return build(context, [x], rule)

    lower_program(stage(lambda x: bind(OfComplex(), x), pair).program)
    assert "(1.000000e+00,2.000000e+00)" in seen[0]
