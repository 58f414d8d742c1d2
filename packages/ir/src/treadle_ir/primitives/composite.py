"""Operations under names of the user's, which other operations say, for compilers that know them; and the platform."""

from __future__ import annotations

import re
from typing import ClassVar, Final, TypeAlias, final

import numpy as np

from treadle_ir.core.families import Creation, InlineCall, Sources
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.primitives.call import Call
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array
from treadle_ir.tracing.trace import bind

Setting: TypeAlias = bool | int | float | str
_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+")


@register
@final
@frozen
class Composite(InlineCall):
    """An operation under a name of the user's, which `program` says in other operations.

    A compiler may put its own implementation in its place. `settings` are what it is told besides, by name.

    Constraints:
        (C1) `label` is a name with dots in it, as `my_project.my_op`; `version` is not negative

    Source: StableHLO specification, `composite`.
    """

    name: ClassVar[str] = "composite"
    program: Program
    label: str
    version: int = 0
    settings: tuple[tuple[str, Setting], ...] = ()

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The types of the program's results."""
        if not _NAME.fullmatch(self.label) or self.version < 0:  # C1
            raise ArgumentError(
                f"composite: the name is {self.label!r} and the version {self.version}, but a name consists of a "
                "namespace and names after dots, and a version is not negative",
                fix="name it as in `my_project.my_op`",
            )
        return self.program.result_types

    def rebuilt(self, program: Program, sources: Sources) -> InlineCall:
        """A plain call: a transformed program is another operation, which the name does not mean."""
        return Call(program, self.label)


@register
@final
@frozen
class PlatformIndex(Creation):
    """Which of several platforms the program runs on, by its place; as many as there are where it is none of them.

    Unless there is something for others (`or_others`), a program is not lowered for a platform that is none of them.
    """

    name: ClassVar[str] = "platform_index"
    platforms: tuple[str, ...]
    or_others: bool = True

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """A scalar."""
        assert not operands, "platform_index takes no operands"
        return (ArrayType((), np.dtype(np.int32)),)


def platform_index(*, platforms: tuple[str, ...], or_others: bool = True) -> Array:
    """Which of several platforms the program runs on, by its place; as many as there are where it is none of them."""
    return bind(PlatformIndex(platforms, or_others))[0]
