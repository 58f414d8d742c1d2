"""A function whose user says how it runs on the parts that several devices have: what `custom_partitioning` leaves.

On one device, and to every transformation, it is the program that it calls (decisions/0098-custom-partitioning.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, final

from treadle_ir.core.families import InlineCall, Sources
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.types import Type
from treadle_ir.primitives.call import Call
from treadle_ir.process.frozen_classes import frozen


class Partitioner(Protocol):
    """What the user has said, and the runtime and the compiler ask. Compared by what it holds."""

    def rule(self, mesh: AbstractMesh, operands: Sequence[Type], results: Sequence[Type]) -> str:
        """How axes of operands and results belong together, as an attribute of Shardy's."""

    def parts(
        self,
        placement: Any,  # the runtime's: where the program runs
        platform: str,
        types: tuple[Sequence[Type], Sequence[Type]],
        said: tuple[Sequence[Any], Sequence[Any]],  # jaxlib's shardings
    ) -> tuple[str, list[Any], list[Any]]:
        """The program of one device as text, and how operands and results lie: for both, operands come first."""


@register
@final
@frozen
class CustomPartitioning(InlineCall):
    """A function whose user says how it is partitioned, which is opaque: compared by identity, not parsed back."""

    name: ClassVar[str] = "custom_partitioning"
    program: Program
    label: str
    partitioner: Partitioner

    def is_deferred(self) -> bool:
        """The partitioner calls a Python function."""
        return True

    def rebuilt(self, program: Program, sources: Sources) -> InlineCall:
        """A plain call: what the user has said is of the function itself, not of its derivative or its batch."""
        return Call(program, self.label)
