"""Primitives: an operation with its attributes filled in, and the contract of a family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Self

from treadle_ir.core.effects import PURE, Effects
from treadle_ir.core.types import Type

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
    # Holds Python functions, and with them whatever they close over: no cache of the process may keep it.
    opaque: ClassVar[bool] = False
    # Its NumPy kernel does floating-point arithmetic, whose warnings have to be turned off.
    computes: ClassVar[bool] = True
    # Results of its NumPy kernel may share the memory of operands.
    may_alias: ClassVar[bool] = True
    # Operands may be random keys, which are moved and chosen like other elements, but are no numbers.
    takes_keys: ClassVar[bool] = False

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

    def flows(self) -> Flows | None:
        """How values flow through its nested programs, where these run on operands or on results of one another.

        None for an operation without nested programs, or of which only its rules know what it does with them.
        """
        return None

    def with_regions(self, programs: Sequence[Program]) -> Primitive:
        """Return the same operation with other programs of the same signatures as the regions of its flows."""
        raise NotImplementedError(f"{self.name} has no regions")

    def is_deferred(self) -> bool:
        """Whether a transformation of it runs a Python function that may do something else the next time."""
        return False


class Attributeless(Primitive):
    """A primitive without attributes has one instance, so equality and hash are those of the object.

    Mixed in before the family.
    """

    __slots__ = ()

    def __new__(cls) -> Self:
        """The one instance of the class."""
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
