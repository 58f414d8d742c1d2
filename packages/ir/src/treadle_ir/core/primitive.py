"""Primitives: an operation with its attributes filled in, and the contract of a family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Self

from treadle_ir.core.effects import PURE, Effects
from treadle_ir.core.types import Type
from treadle_ir.errors.kinds import ArgumentError

if TYPE_CHECKING:
    from treadle_ir.core.flows import Flows
    from treadle_ir.core.program import Program

NO_PROGRAMS: Final[Mapping[str, Program]] = MappingProxyType({})


class Primitive(ABC):
    """An operation with its attributes filled in.

    The class is the operation; the fields of the (frozen) instance are the attributes.
    Equality and hash come from the fields, so equal attributes share compiled code.
    Every subclass is either abstract (a family) or final (one operation).
    """

    __slots__ = ()

    name: ClassVar[str]  # the mnemonic in the text format; unique
    is_function: ClassVar[bool] = (
        False  # True in the families FunctionCall, Extension; isinstance costs 0.2 us for each `bind`
    )
    # Holds Python functions, and with them everything that they close over: process-wide caches must not store it.
    opaque: ClassVar[bool] = False
    # Its NumPy kernel does floating-point arithmetic, whose warnings have to be turned off.
    computes: ClassVar[bool] = True
    # Results of its NumPy kernel may share the memory of operands.
    may_alias: ClassVar[bool] = True
    # Operands may be random keys, which are moved and selected like other elements, but are not numbers.
    takes_keys: ClassVar[bool] = False

    @abstractmethod
    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the result types, a tuple also for one result; raise `ShapeError` / `DTypeError`."""

    def effects(self, *operands: Type) -> Effects:
        """Return the effects of the operation: by default the effects of its nested programs."""
        nested = self.programs()
        if not nested:
            return PURE
        return frozenset().union(*(program.effects for program in nested.values()))

    def programs(self) -> Mapping[str, Program]:
        """Return the nested programs by attribute name: all that printer, verifier, DCE and effects need."""
        return NO_PROGRAMS

    def flows(self) -> Flows | None:
        """Return how values flow through its nested programs, if these run on operands or on results of one another.

        Return None for an operation without nested programs, or if only its rules define what it does with them.
        """
        return None

    def with_regions(self, programs: Sequence[Program]) -> Primitive:
        """Return the same operation with other programs of the same signatures as the regions of its flows."""
        raise NotImplementedError(f"{self.name} has no regions")

    def is_deferred(self) -> bool:
        """Return whether transforming it runs a Python function that may behave differently the next time."""
        return False


def check_word(name: str, attribute: str, word: str, words: Sequence[str]) -> None:
    """Refuse an attribute that is none of the words that it may be.

    Raises:
        ArgumentError: with the name of the operation, the attribute and the words.
    """
    if word not in words:
        known = ", ".join([each or '""' for each in words])
        raise ArgumentError(f"{name}: {attribute} is {word!r}, not one of {known}")


class Attributeless(Primitive):
    """A primitive without attributes: it has one instance, so instances are compared and hashed by identity.

    A mix-in, which comes before the family among the base classes.
    """

    __slots__ = ()

    def __new__(cls) -> Self:
        """Return the one instance of the class."""
        only: Self | None = cls.__dict__.get("_only")
        if only is None:
            only = super().__new__(cls)
            cls._only = only
        return only

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}()"

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        return type(self), ()
