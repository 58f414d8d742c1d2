"""Lowering rules that build operations with jaxlib's MLIR classes, as libraries do, instead of writing text.

Such a rule runs in a module of its own, where the operands are the parameters of a function. What it has built becomes
a function of the module that is being written, and is called there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, final

import numpy as np

from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.mlir import ModuleError, brief, locked, mlir
from treadle_compiler.types import dense, mlir_type
from treadle_ir import ArrayType, Program, Type

IrValue: TypeAlias = Any  # a value of jaxlib.mlir, which has no types


@final
class BuildContext:
    """The module that a rule builds in: an MLIR module, and the function around what the rule builds."""

    def __init__(self, outer: LoweringContext, operands: Sequence[Type]) -> None:
        ir = mlir().ir
        self.outer = outer
        self.module: Any = ir.Module.create()
        self._declared: dict[str, Sequence[Type]] = {}
        types = [ir.Type.parse(mlir_type(each)) for each in operands]
        self.function = self._function("main", types, [])
        self.block: Any = self.function.add_entry_block()

    def _function(self, name: str, operands: Sequence[Any], results: Sequence[Any]) -> Any:
        ir, func = mlir().ir, mlir().func
        with ir.InsertionPoint(self.module.body):
            return func.FuncOp(name, (list(operands), list(results)), visibility="private")

    def call(self, program: Program, operands: Sequence[IrValue]) -> list[IrValue]:
        """Call a program, which becomes a function of the outer module."""
        name = self.outer.module.function(program).removeprefix("@")
        ir, func = mlir().ir, mlir().func
        types = [ir.Type.parse(mlir_type(each)) for each in program.result_types]
        if name not in self._declared:
            self._declared[name] = program.result_types
            self._function(name, [each.type for each in operands], types)
        return [*func.CallOp(types, name, [*operands]).results]

    def finish(self, results: Sequence[IrValue]) -> str:
        """Return values from the function; the text of the function, which has no name yet.

        Raises:
            ModuleError: they are not of the types that the equation has, or what was built is not valid.
        """
        border = mlir()
        ir, func = border.ir, border.func
        wanted = [ir.Type.parse(mlir_type(each)) for each in self.outer.result_types]
        found = [each.type for each in results]
        if found != wanted:
            raise ModuleError(
                f"a lowering rule returned values of types {[*map(str, found)]}, not {[*map(str, wanted)]}",
                fix="return a value for each result, of the type that its abstract evaluation declares",
            )
        with ir.InsertionPoint(self.block):
            func.ReturnOp([*results])
        inputs = [each.type for each in self.block.arguments]
        self.function.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(inputs, found)
        )
        try:
            self.module.operation.verify()
        except border.ir.MLIRError as error:
            raise ModuleError(f"what a lowering rule built is not valid: {brief(error)}") from error
        others = [
            each.attributes["sym_name"].value
            for each in self.module.body.operations
            if each.attributes["sym_name"].value not in {"main", *self._declared}
        ]
        if others:
            raise ModuleError(
                f"a lowering rule added functions of its own to the module: {', '.join(others)}",
                fix="build everything where the rule is called",
            )
        return str(self.function.operation.get_asm(use_local_scope=True))


def ir_module() -> Any:  # Any: jaxlib ships no types
    """`jaxlib.mlir.ir`, imported when it is first asked for."""
    return mlir().ir


def ir_context() -> Any:  # Any: jaxlib ships no types
    """The `jaxlib.mlir.ir.Context` that rules build in."""
    return mlir().context


def ir_dialects() -> Any:  # Any: jaxlib ships no types
    """The `DialectRegistry` of the dialects that rules build with."""
    return mlir().registry


def ir_type(type: Type) -> Any:  # Any: jaxlib ships no types
    """A type as MLIR has it; within a rule, whose context it belongs to."""
    return mlir().ir.Type.parse(mlir_type(type))


def ir_array(values: np.ndarray[Any, np.dtype[Any]]) -> Any:  # Any: jaxlib ships no types
    """An attribute of an array's elements; within a rule."""
    return mlir().ir.Attribute.parse(dense(values))


def ir_elements(values: np.ndarray[Any, np.dtype[Any]]) -> IrValue:
    """A constant of an array's elements; within a rule."""
    ir = mlir().ir
    type = mlir_type(ArrayType(values.shape, values.dtype))
    # As text, for jaxlib has no class for attributes of complex elements.
    text = f'"stablehlo.constant"() {{value = {dense(values)}}} : () -> {type}'
    made = ir.Operation.parse(text)
    ir.InsertionPoint.current.insert(made)
    return made.operation.results[0]


def build(
    context: LoweringContext,
    operands: Sequence[HloValue],
    rule: Callable[[BuildContext, Sequence[IrValue]], Sequence[IrValue]],
) -> list[HloValue]:
    """Run a rule that builds with MLIR's classes; its results as values of the module that is being written.

    Raises:
        ModuleError: what it built is not valid, or not of the types that the equation has.
    """
    border = mlir()
    types = [each.type for each in operands]
    with locked(), border.context, border.ir.Location.unknown():
        inner = BuildContext(context, types)
        with border.ir.InsertionPoint(inner.block):
            results = rule(inner, [*inner.block.arguments])
        text = inner.finish(results)
    name = context.module.add_function(lambda name: text.replace("@main(", f"{name}(", 1))
    return context.emit("func.call", operands, context.result_types, {"callee": name})
