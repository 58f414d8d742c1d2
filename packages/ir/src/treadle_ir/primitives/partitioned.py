"""A function with a user-defined partitioning over devices: the operation that `custom_partitioning` stages.

On one device, and to every transformation, it is the program that it calls (decisions/0098-custom-partitioning.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, final

from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.types import Type
from treadle_ir.primitives.call import LabelledCall
from treadle_ir.process.frozen_classes import frozen


class Partitioner(Protocol):
    """The user-defined partitioning, which the runtime and the compiler call. Compared by its fields."""

    def rule(self, mesh: AbstractMesh, operands: Sequence[Type], results: Sequence[Type]) -> str:
        """Return how axes of operands and results correspond, as a sharding rule of Shardy's."""

    def parts(
        self,
        placement: Any,  # the runtime's: where the program runs
        platform: str,
        types: tuple[Sequence[Type], Sequence[Type]],
        said: tuple[Sequence[Any], Sequence[Any]],  # jaxlib's shardings
    ) -> tuple[str, list[Any], list[Any]]:
        """Return the program of one device as text, and the shardings of operands and of results."""


@register
@final
@frozen
class CustomPartitioning(LabelledCall):
    """A function with a user-defined partitioning, which is opaque: compared by identity, not parsed back."""

    name: ClassVar[str] = "custom_partitioning"
    program: Program
    label: str
    partitioner: Partitioner

    def is_deferred(self) -> bool:
        """Return True: the partitioner calls a Python function."""
        return True
