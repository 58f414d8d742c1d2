"""Values, literals and atoms: what equations are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np

from treadle_ir.types import ArrayType, Type


@final
class Value:
    """An SSA value. Equal only to itself; its name exists only in the text format."""

    __slots__ = ("__weakref__", "type")

    def __init__(self, type: Type) -> None:
        self.type = type

    def __repr__(self) -> str:
        return f"<value {self.type}>"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """A scalar constant written in place. Arrays are never literals."""

    value: np.generic[Any]
    type: ArrayType

    def __post_init__(self) -> None:
        assert self.type.shape == (), "a literal is a scalar"

    @property
    def key(self) -> tuple[bytes, ArrayType]:
        """What two equal literals share: bits, not `==` (nan equals nan, 0.0 is not -0.0)."""
        return self.value.tobytes(), self.type


Atom: TypeAlias = Value | Literal
