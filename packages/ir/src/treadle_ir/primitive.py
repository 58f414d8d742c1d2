"""Primitives: an operation with its attributes filled in, and the contract of a family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final

from treadle_ir.effects import PURE, Effects
from treadle_ir.types import Type

if TYPE_CHECKING:
    from treadle_ir.program import Program

NO_PROGRAMS: Final[Mapping[str, "Program"]] = MappingProxyType({})


class Primitive(ABC):
    """An operation with its attributes filled in.

    The class is the operation; the fields of the (frozen) instance are the attributes.
    Equality and hash come from the fields, so equal attributes share compiled code.
    Every subclass is either abstract (a family) or final (one operation).
    """

    __slots__ = ()
    name: ClassVar[str]  # the mnemonic in the text format; unique

    @abstractmethod
    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Result types; raises `ShapeError` / `DTypeError`. Always a tuple, also for one result."""

    def effects(self, *operands: Type) -> Effects:
        """What it does besides compute: by default nothing but what its nested programs do."""
        nested = self.programs()
        if not nested:
            return PURE
        return frozenset().union(*(program.effects for program in nested.values()))

    def programs(self) -> Mapping[str, Program]:
        """Nested programs by attribute name. Printer, verifier, DCE and effects need no more."""
        return NO_PROGRAMS

    def with_programs(self, programs: Mapping[str, Program]) -> Primitive:
        """The same operation around other nested programs."""
        assert not programs, f"{self.name} has no nested programs"
        return self
