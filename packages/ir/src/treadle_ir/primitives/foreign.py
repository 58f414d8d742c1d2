"""Foreign calls: native functions that users register with XLA by a name, and Python functions of buffers.

It is not known what they compute, so they have no NumPy kernel and no derivative.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, TypeAlias, final

from treadle_ir.core.effects import PURE, Effects, ForeignEffect
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ShapeError
from treadle_ir.primitives.effectful import HostFunction, VmapMethod
from treadle_ir.process.frozen_classes import frozen

AxisOrder: TypeAlias = tuple[int, ...]


class NativeCall(Primitive):
    """Family: calls code that reads the memory of its operands and writes the memory of its results.

    A layout is a permutation of the axes, major to minor: elements along the last one are contiguous in memory.

    Constraints:
        (C1) there is an input layout for each operand, with an entry for each axis
        (C2) there is an output layout for each result, with an entry for each axis
        (C3) an operand and the result that reuses its memory have the same type and the same layout
    """

    __slots__ = ()
    takes_keys: ClassVar[bool] = False
    result_types: tuple[ArrayType, ...]
    input_layouts: tuple[AxisOrder, ...]
    output_layouts: tuple[AxisOrder, ...]
    has_side_effect: bool
    vmap_method: VmapMethod | None
    input_output_aliases: tuple[tuple[int, int], ...]

    @property
    @abstractmethod
    def target(self) -> str:
        """The name of the called function, for messages."""

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the declared types."""
        given = [(x, "operand", self.input_layouts) for x in operands]  # C1
        made = [(x, "result", self.output_layouts) for x in self.result_types]  # C2
        for each in (given, made):
            for number, (type, kind, layouts) in enumerate(each):
                assert isinstance(type, ArrayType)
                if len(layouts) != len(each) or sorted(layouts[number]) != [*range(type.ndim)]:
                    raise ShapeError(
                        f"{self.name} {self.target}: {kind} {number} is {type}, and the layouts are {layouts}",
                        fix="give one permutation of the axes for each, or leave the layouts out",
                    )
        for operand, result in self.input_output_aliases:  # C3
            pair = (operands[operand], self.input_layouts[operand])
            other = (self.result_types[result], self.output_layouts[result])
            if not _same_memory(*pair, *other):
                raise ShapeError(
                    f"{self.name} {self.target}: operand {operand} is {pair[0]} with layout {pair[1]}, and result "
                    f"{result}, which shall take over its memory, is {other[0]} with layout {other[1]}",
                    fix="alias operands and results of one type and layout",
                )
        return self.result_types

    def effects(self, *operands: Type) -> Effects:
        """Return the effect of foreign code, if it is declared to have side effects."""
        return frozenset({ForeignEffect()}) if self.has_side_effect else PURE


@register
@final
@frozen
class ForeignCall(NativeCall):
    """Calls a registered target on its operands.

    `attributes` are pairs of a name and MLIR's text of the value, as the target reads it.
    """

    name: ClassVar[str] = "ffi_call"
    target_name: str
    result_types: tuple[ArrayType, ...]
    input_layouts: tuple[AxisOrder, ...]
    output_layouts: tuple[AxisOrder, ...]
    attributes: tuple[tuple[str, str], ...] = ()
    has_side_effect: bool = False
    vmap_method: VmapMethod | None = None
    input_output_aliases: tuple[tuple[int, int], ...] = ()
    custom_call_api_version: int = 4
    legacy_backend_config: str | None = None

    @property
    def target(self) -> str:
        """The target's name."""
        return repr(self.target_name)


@register
@final
@frozen
class BufferCallback(NativeCall):
    """Calls a Python function with the memory of operands and results: `function(context, *operands, *results)`."""

    name: ClassVar[str] = "buffer_callback"
    opaque: ClassVar[bool] = True
    callback: HostFunction
    result_types: tuple[ArrayType, ...]
    input_layouts: tuple[AxisOrder, ...]
    output_layouts: tuple[AxisOrder, ...]
    has_side_effect: bool = False
    vmap_method: VmapMethod | None = None
    input_output_aliases: tuple[tuple[int, int], ...] = ()
    command_buffer_compatible: bool = False

    @property
    def target(self) -> str:
        """The function's name."""
        function = self.callback.function
        return repr(getattr(function, "__name__", type(function).__name__))


def _same_memory(x: Type, layout: AxisOrder, y: ArrayType, other: AxisOrder) -> bool:
    assert isinstance(x, ArrayType)
    return (x.shape, x.dtype, layout) == (y.shape, y.dtype, other)
