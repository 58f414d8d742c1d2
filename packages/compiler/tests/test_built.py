"""Rules that build with MLIR's classes: what they build is called from the text around it."""

from __future__ import annotations

from collections.abc import Sequence
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
            with ir_module().InsertionPoint(inner.module.body):
                ir_module().Operation.create(
                    "func.func",
                    regions=1,
                    attributes={
                        "sym_name": ir_module().StringAttr.get("other"),
                        "sym_visibility": ir_module().StringAttr.get("private"),
                        "function_type": ir_module().Attribute.parse("() -> ()"),
                    },
                )
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


def test_functions_of_its_own_are_refused() -> None:
    with pytest.raises(ModuleError, match="functions of its own to the module: other"):
        text("function")


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
