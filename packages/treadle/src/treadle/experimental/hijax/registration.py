"""Which classes have values of types of a library's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from treadle.experimental.hijax.mutable import MutableForm, MutableHiType, cell_of
from treadle.experimental.hijax.types import HiForm, HiType, opened
from treadle_ir.errors import functions, refused
from treadle_ir.tree import Form, register_opaque

HiVal: TypeAlias = Any  # Any: a value of a class of a library's own


def register_hitype(val_cls: type, typeof_fn: Callable[[Any], HiType]) -> None:
    """Say of which type the values of a class are: from then on they are arguments and results of transformations.

    Raises:
        ArgumentError: `val_cls` is not a class, or `typeof_fn` is not a function; TreeError: it is registered already.

    Example:
        >>> from treadle.experimental.hijax import HiType, ShapedArray, register_hitype
        >>> import treadle
        >>> class Point:
        ...     def __init__(self, x, y): self.x, self.y = x, y
        >>> class PointType(HiType):
        ...     def lo_ty(self): return [ShapedArray((), "float32")] * 2
        ...     def lower_val(self, p): return [p.x, p.y]
        ...     def raise_val(self, x, y): return Point(x, y)
        >>> register_hitype(Point, lambda p: PointType())
        >>> treadle.typeof(Point(1.0, 2.0)).str_short()
        'PointType'
    """
    if not isinstance(val_cls, type):
        raise refused("register_hitype", "val_cls", "a class", val_cls)
    functions("register_hitype", typeof_fn=typeof_fn)

    def open_value(value: HiVal) -> tuple[list[Any], Form]:
        aval = typeof_fn(value)
        if isinstance(aval, MutableHiType) and aval.has_qdd:
            return [cell_of(aval, value)], MutableForm(aval)
        if not isinstance(aval, HiType):
            raise refused(f"the type of a {val_cls.__name__}", "the result", "a HiType", aval)
        return opened(aval, value), HiForm(aval)

    register_opaque(val_cls, open_value)
