"""Lowering rules that build operations with jaxlib's MLIR classes, as libraries do, instead of writing text.

Such a rule runs in a module of its own, where the operands are the parameters of a function. What it has built becomes
a function of the module that is being written, and is called there; functions that the rule adds go with it. A rule
with ordered effects gets the token of those before as one more parameter, and returns its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, final

import numpy as np

from treadle_compiler.context import LoweringContext
from treadle_compiler.mlir import ModuleError, brief, locked, mlir, new_context
from treadle_compiler.types import dense, mlir_type
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import TOKEN, ArrayType, Program, Type

IrValue: TypeAlias = Any  # a value of jaxlib.mlir, which has no types


@final
class BuildContext:
    """The module that a rule builds in: an MLIR module, and the function around what the rule builds."""

    def __init__(self, outer: LoweringContext, operands: Sequence[Type]) -> None:
        ir = mlir().ir
        self.outer = outer
        self.module: Any = ir.Module.create()
        self.symbols: Any = ir.SymbolTable(self.module.operation)
        self._declared: dict[str, Any] = {}  # functions of the outer module, by their names there
        self._token: IrValue | None = None  # of the effects before, and of those after
        self.token_after: IrValue | None = None
        types = [ir.Type.parse(mlir_type(each)) for each in operands]
        self.function = self.add_function("main", types, [])
        self.block: Any = self.function.add_entry_block()

    def add_function(self, name: str, operands: Sequence[Any], results: Sequence[Any]) -> Any:
        """A function of the module, without a body, by that name or one like it, for operands of types of MLIR."""
        ir, func = mlir().ir, mlir().func
        with ir.InsertionPoint(self.module.body):
            made = func.FuncOp(name, (list(operands), list(results)), visibility="private")
        self.symbols.insert(made)
        return made

    def call(self, program: Program, operands: Sequence[IrValue]) -> list[IrValue]:
        """Call a program, which becomes a function of the outer module."""
        legalised = self.outer.legalised(program)
        name = self.outer.function(legalised).removeprefix("@")
        ir, func = mlir().ir, mlir().func
        types = [ir.Type.parse(mlir_type(each)) for each in program.result_types]
        if name not in self._declared:
            self._declared[name] = self.add_function(name, [each.type for each in operands], types)
        return [*func.CallOp(types, _name(self._declared[name]), [*operands]).results]

    @property
    def token(self) -> IrValue:
        """The token of the ordered effects before this operation; `token_after` is for the rule to set."""
        if self._token is None:
            ir = mlir().ir
            type = ir.Type.parse(mlir_type(TOKEN))
            self._token = self.block.add_argument(type, ir.Location.unknown())
            self.token_after = self._token
        return self._token

    @property
    def takes_token(self) -> bool:
        """Whether the function has the token as its last parameter and result."""
        return self._token is not None

    def finish(self, results: Sequence[IrValue]) -> str:
        """Return values from the function, and add it and the rule's own functions to the outer module; its name.

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
        returned = [*results, self.token_after] if self.takes_token else [*results]
        with ir.InsertionPoint(self.block):
            func.ReturnOp(returned)
        inputs = [each.type for each in self.block.arguments]
        self.function.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(inputs, [each.type for each in returned])
        )
        try:
            self.module.operation.verify()
        except border.ir.MLIRError as error:
            raise ModuleError(f"what a lowering rule built is not valid: {brief(error)}") from error
        return self._added()

    def _added(self) -> str:
        """The functions of the module under names of the outer module; the name of the main one, with its `@`."""
        declared = [*self._declared.values()]
        own = [each for each in self.module.body.operations if each not in declared]
        for each in own:
            if each.operation.name != "func.func":
                raise ModuleError(
                    f"a lowering rule added an operation to the module that is not a function: {each.operation.name}",
                    fix="build it where the rule is called",
                )

        def written(names: Sequence[str]) -> list[str]:
            renamed = {_name(each): outer for outer, each in self._declared.items()}
            renamed |= {
                _name(each): name.removeprefix("@") for each, name in zip(own, names, strict=True)
            }
            self._rename({old: f"treadle.{number}" for number, old in enumerate(renamed)})
            self._rename({f"treadle.{i}": new for i, new in enumerate(renamed.values())})
            private = mlir().ir.StringAttr.get("private")
            for each in own:
                each.attributes["sym_visibility"] = private
            return [str(each.operation.get_asm(use_local_scope=True)) for each in own]

        names = self.outer.module.add_functions(len(own), written)
        return names[own.index(self.function)]

    def _rename(self, names: dict[str, str]) -> None:
        ir = mlir().ir
        for each in self.module.body.operations:
            old = _name(each)
            if old in names:
                ir.SymbolTable.replace_all_symbol_uses(old, names[old], self.module.operation)
                ir.SymbolTable.set_symbol_name(each, names[old])


def _name(function: Any) -> str:
    name: str = mlir().ir.StringAttr(function.attributes["sym_name"]).value
    return name


def ir_module() -> Any:  # Any: jaxlib ships no types
    """`jaxlib.mlir.ir`, imported when it is first asked for."""
    return mlir().ir


def ir_context() -> Any:  # Any: jaxlib ships no types
    """The `jaxlib.mlir.ir.Context` that rules build in."""
    return mlir().context


def new_ir_context() -> Any:  # Any: jaxlib ships no types
    """A new `jaxlib.mlir.ir.Context`, for modules that are not treadle's own."""
    return new_context()


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
    operands: HloValues,
    rule: Callable[[BuildContext, Sequence[IrValue]], Sequence[IrValue]],
) -> list[HloValue]:
    """Run a rule that builds with MLIR's classes; its results as values of the module that is being written.

    Raises:
        ModuleError: what it built is not valid, or not of the types that the equation has.
    """
    border = mlir()
    with locked(), border.context, border.ir.Location.unknown():
        inner = BuildContext(context, [each.type for each in operands])
        with border.ir.InsertionPoint(inner.block):
            results = rule(inner, [*inner.block.arguments])
        callee = {"callee": inner.finish(results)}
    if not inner.takes_token:
        return context.emit("func.call", operands, context.result_types, callee)
    given, types = (*operands, context.token_before()), (*context.result_types, TOKEN)
    *made, context.token = context.emit("func.call", given, types, callee)
    return made
