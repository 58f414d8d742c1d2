"""User-named operations, decomposed into other operations, for compilers that implement them; and the platform."""

from __future__ import annotations

import re
from typing import ClassVar, Final, TypeAlias, final

import numpy as np

from treadle_ir.core.families import Creation
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.primitives.call import LabelledCall
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array
from treadle_ir.tracing.trace import bind

Setting: TypeAlias = bool | int | float | str
_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+")


@register
@final
@frozen
class Composite(LabelledCall):
    """An operation with a user-defined name, which `program` decomposes into other operations.

    A compiler may replace it by its own implementation. `settings` are the composite's attributes, by name.

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
        """Return the types of the program's results."""
        if not _NAME.fullmatch(self.label) or self.version < 0:  # C1
            raise ArgumentError(
                f"composite: the name is {self.label!r} and the version {self.version}, but a name consists of a "
                "namespace and names after dots, and a version is not negative",
                fix="name it as in `my_project.my_op`",
            )
        return self.program.result_types


@register
@final
@frozen
class PlatformIndex(Creation):
    """The index in `platforms` of the platform on which the program runs; `len(platforms)` for any other.

    Unless `or_others`, the program is not lowered for a platform that is none of them.
    """

    name: ClassVar[str] = "platform_index"
    platforms: tuple[str, ...]
    or_others: bool = True

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return a scalar."""
        assert not operands, "platform_index takes no operands"
        return (ArrayType((), np.dtype(np.int32)),)


def platform_index(*, platforms: tuple[str, ...], or_others: bool = True) -> Array:
    """Return the index in `platforms` of the platform on which the program runs; `len(platforms)` for any other."""
    return bind(PlatformIndex(platforms, or_others))[0]
