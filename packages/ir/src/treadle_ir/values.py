"""Values, literals and atoms: what equations are made of."""

from __future__ import annotations

from typing import Any, TypeAlias, final

import numpy as np

from treadle_ir.dtypes import DType
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
class Literal:
    """A scalar constant written in place; equal only to itself. Arrays are never literals. Never change one."""

    __slots__ = ("_key", "type", "value")
    _key: tuple[bytes, ArrayType]  # made when it is first asked for

    def __init__(self, value: np.generic[Any], type: ArrayType) -> None:
        assert type.shape == (), "a literal is a scalar"
        self.value = value
        self.type = type

    @property
    def shape(self) -> tuple[int, ...]:
        """A literal is a scalar."""
        return ()

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.type.dtype

    @property
    def key(self) -> tuple[bytes, ArrayType]:
        """What two equal literals share: bits, not `==` (nan equals nan, 0.0 is not -0.0)."""
        try:
            return self._key
        except AttributeError:
            self._key = self.value.tobytes(), self.type
            return self._key

    def __repr__(self) -> str:
        return f"Literal(value={self.value!r}, type={self.type!r})"


Atom: TypeAlias = Value | Literal
