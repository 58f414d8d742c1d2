"""The abstract value of a mutable reference."""

from __future__ import annotations

from typing import Any, final

from treadle_ir.calling.operands import type_like
from treadle_ir.core.dtypes import user_name
from treadle_ir.core.typed import Typed
from treadle_ir.core.types import ArrayType
from treadle_ir.errors.kinds import UnsupportedError


@final
class AbstractRef(Typed):
    """The abstract value of a reference: the shape and the element type of the array that it holds.

    Example:
        >>> import numpy as np
        >>> AbstractRef(np.ones((2, 3), np.float32))
        Ref{float32[2,3]}
    """

    __slots__ = ("inner_aval", "type")

    def __init__(self, inner_aval: Any, memory_space: None = None, kind: None = None) -> None:
        refuse_options("AbstractRef", memory_space=memory_space, kind=kind)
        self.inner_aval = inner_aval  # Any: an object with a shape and an element type
        self.type = described("AbstractRef", inner_aval)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractRef) and self.type is other.type

    def __hash__(self) -> int:
        return hash(self.type)

    def __repr__(self) -> str:
        sizes = ",".join(map(str, self.shape))
        return f"Ref{{{user_name(self.dtype)}[{sizes}]}}"


def refuse_options(function: str, **options: object) -> None:
    """Refuse options about memory, unless they are None."""
    for name, value in options.items():
        if value is not None:
            raise UnsupportedError(
                f"{function}: {name} is given, but treadle's references are in the device's memory",
                fix=f"leave `{name}` out",
            )


def described(function: str, like: object) -> ArrayType:
    """Return the type of the array that a reference shall hold: `like`, or its shape and element type."""
    return like if isinstance(like, ArrayType) else type_like(function, like)
