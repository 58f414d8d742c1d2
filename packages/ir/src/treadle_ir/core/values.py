"""Values, literals and atoms: what equations are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_ir.core.dtypes import DType
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.process.frozen_classes import refuse

_put: Final = object.__setattr__


@final
class Value:
    """An SSA value, which never changes. Equal only to itself; its name exists only in the text format."""

    __slots__ = ("__weakref__", "type")
    type: Type

    def __init__(self, type: Type) -> None:
        put_type(self, type)

    __setattr__ = refuse
    __delattr__ = refuse

    def __copy__(self) -> Value:
        return self

    def __deepcopy__(self, memo: object) -> Value:
        return self

    def __reduce__(self) -> tuple[Callable[[Type], Value], tuple[Type]]:
        return Value, (self.type,)

    def __repr__(self) -> str:
        return f"<value {self.type}>"


# A slot's own setter, which bypasses `__setattr__`: a value is made for each staged operation.
put_type: Final[Callable[[Value, Type], None]] = Value.__dict__["type"].__set__


@final
class Literal:
    """A scalar constant written in place, which never changes; equal only to itself. Arrays are never literals."""

    __slots__ = ("_key", "type", "value")
    _key: tuple[bytes, ArrayType]  # made when `key` is first read
    type: ArrayType
    value: np.generic[Any]

    def __init__(self, value: np.generic[Any], type: ArrayType) -> None:
        assert type.shape == (), "a literal is a scalar"
        _put(self, "value", value)
        _put(self, "type", type)

    __setattr__ = refuse
    __delattr__ = refuse

    def __copy__(self) -> Literal:
        return self

    def __deepcopy__(self, memo: object) -> Literal:
        return self

    def __reduce__(self) -> tuple[Callable[..., Literal], tuple[np.generic[Any], ArrayType]]:
        return Literal, (self.value, self.type)

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
        """The key that equal literals share: by bits, not by `==` (nan equals nan, 0.0 is not -0.0)."""
        try:
            return self._key
        except AttributeError:
            _put(self, "_key", (self.value.tobytes(), self.type))
            return self._key

    def __repr__(self) -> str:
        return f"Literal(value={self.value!r}, type={self.type!r})"


Atom: TypeAlias = Value | Literal
