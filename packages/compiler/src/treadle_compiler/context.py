"""What a lowering rule may use: emit operations, constants, regions and nested programs, as text.

The text is MLIR's generic form, `%2 = "stablehlo.add"(%0, %1) : (tensor<3xf32>, ...) -> tensor<3xf32>`: regular,
and the same in all releases of jaxlib. Names are numbers in order of emission, so equal programs give equal
bytes in any process. A rule never sees jaxlib.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from treadle_compiler.types import dense, mlir_type, scalar_text
from treadle_ir import ArrayType, Program, Type

if TYPE_CHECKING:
    from treadle_compiler.lower import ModuleWriter


@final
class HloValue:
    """A value in the text: its name and its type."""

    __slots__ = ("literal", "name", "type")

    def __init__(self, name: str, type: Type) -> None:
        self.name = name
        self.type = type
        self.literal: object = None  # the scalar, when the value is a scalar constant

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an array's value."""
        assert isinstance(self.type, ArrayType)
        return self.type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type of an array's value."""
        assert isinstance(self.type, ArrayType)
        return self.type.dtype


@final
class LoweringContext:
    """Writes the body of one function. Rules get it as their first argument.

    `operand_types` and `result_types` are those of the equation that is being lowered.
    """

    __slots__ = (
        "_constants",
        "lines",
        "location",
        "module",
        "operand_types",
        "platform",
        "result_types",
        "token",
    )

    def __init__(self, module: ModuleWriter) -> None:
        self.module: Final = module
        self.platform: Final = module.platform
        self.lines: list[str] = []
        self.operand_types: tuple[Type, ...] = ()
        self.result_types: tuple[Type, ...] = ()
        self.location = ""  # ` loc(...)` when source locations were asked for
        self.token: HloValue | None = (
            None  # of the last ordered callback in this function or region
        )
        self._constants: dict[tuple[bytes, ArrayType], HloValue] = {}

    def emit(
        self,
        op: str,
        operands: Sequence[HloValue],
        result_types: Sequence[Type],
        attributes: Mapping[str, str] | None = None,
        regions: Sequence[str] = (),
    ) -> list[HloValue]:
        """Emit one operation, `op` with its dialect (`"stablehlo.add"`); attributes are MLIR text.

        `regions` are texts made by `region`. Returns the results, in order.
        """
        names = ", ".join([operand.name for operand in operands])
        types = ", ".join([mlir_type(operand.type) for operand in operands])
        results = [HloValue(self.module.fresh(), type) for type in result_types]
        left = f"{', '.join([result.name for result in results])} = " if results else ""
        right = ", ".join([mlir_type(type) for type in result_types])
        if len(result_types) != 1:
            right = f"({right})"
        body = f" ({', '.join(regions)})" if regions else ""
        attrs = ""
        if attributes:
            attrs = f" {{{', '.join([f'{name} = {text}' for name, text in attributes.items()])}}}"
        self.lines.append(
            f'{left}"{op}"({names}){body}{attrs} : ({types}) -> {right}{self.location}'
        )
        return results

    def one(
        self,
        op: str,
        operands: Sequence[HloValue],
        result_type: Type,
        attributes: Mapping[str, str] | None = None,
        regions: Sequence[str] = (),
    ) -> HloValue:
        """Emit one operation that has one result."""
        return self.emit(op, operands, (result_type,), attributes, regions)[0]

    def constant(self, value: object, type: ArrayType) -> HloValue:
        """A constant of a type: a scalar (spread over the shape), or a small array of that shape."""
        array = (
            np.asarray(value, type.dtype) if type.dtype.names is None else np.zeros((), np.bool_)
        )
        key = (array.tobytes() + bytes(array.ndim), type)
        found = self._constants.get(key)
        if found is None:
            if array.ndim == 0:
                text = f"dense<{scalar_text(array.flat[0])}> : {mlir_type(type)}"
                if type.size == 0:
                    text = f"dense<> : {mlir_type(type)}"
            else:
                text = dense(array)
            found = self._constants[key] = self.one("stablehlo.constant", (), type, {"value": text})
            if array.ndim == 0:
                found.literal = array[()]
        return found

    def spread(self, scalar: HloValue, type: ArrayType) -> HloValue:
        """A scalar over a shape: a constant of the shape where it is one, else a broadcast."""
        if scalar.shape == type.shape:
            return scalar
        wanted = ArrayType(type.shape, scalar.dtype)
        if scalar.literal is not None:
            return self.constant(scalar.literal, wanted)
        return self.one(
            "stablehlo.broadcast_in_dim", [scalar], wanted, {"broadcast_dimensions": "array<i64>"}
        )

    def region(
        self, types: Sequence[Type], body: Callable[[Sequence[HloValue]], Sequence[HloValue]]
    ) -> str:
        """The text of a region: a block with parameters of these types, returning what `body` returns.

        `body` emits with this same context. It may use values from outside of the region.
        """
        outer_lines, outer_constants, outer_token = self.lines, self._constants, self.token
        self.lines, self._constants, self.token = [], dict(outer_constants), None
        parameters = [HloValue(self.module.fresh(), type) for type in types]
        try:
            results = body(parameters)
            self.emit("stablehlo.return", results, ())
            lines = self.lines
        finally:
            self.lines, self._constants, self.token = outer_lines, outer_constants, outer_token
        declared = ", ".join(
            [f"{parameter.name}: {mlir_type(parameter.type)}" for parameter in parameters]
        )
        inside = "\n".join(lines)
        return f"{{\n^bb0({declared}):\n{inside}\n}}"

    def program(self, program: Program, *operands: HloValue) -> Sequence[HloValue]:
        """Emit a nested program: inline when it is used once or small, else as a call of a shared function."""
        return self.module.emit_program(self, program, operands)

    def inline(self, program: Program, *operands: HloValue) -> Sequence[HloValue]:
        """Emit a nested program's equations here."""
        return self.module.emit_inline(self, program, operands)

    def callback(self, function: Callable[..., object]) -> int:
        """Register a host callback of the module; the index selects it in the custom call."""
        return self.module.add_callback(function)
