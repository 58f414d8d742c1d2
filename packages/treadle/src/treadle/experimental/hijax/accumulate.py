"""What backward rules of operations give their cotangents to."""

from __future__ import annotations

from typing import Any, TypeAlias, final

from treadle.core import AbstractValue
from treadle.experimental.hijax.types import HiType
from treadle.interpreters.zeros import Zero
from treadle_ir import ops
from treadle_ir.calling import as_array
from treadle_ir.refs import Ref

Tree: TypeAlias = Any  # Any: an array, or a value of a type of tangents


class GradAccum:
    """What a backward rule gives the cotangent of one argument to: `accum(ct)`, as often as it likes.

    Example:
        >>> from treadle.experimental.hijax import ShapedArray, ValAccum
        >>> sum_of = ValAccum(ShapedArray((), "float32"))
        >>> sum_of.accum(1.0)
        >>> sum_of.accum(2.0)
        >>> print(sum_of.freeze())
        3.0
    """

    def __init__(self, aval: AbstractValue) -> None:
        self.aval = aval

    def accum(self, ct: Tree) -> None:
        """Add a cotangent."""
        raise NotImplementedError("a class derived from it says how")

    def freeze(self) -> Tree:
        """Return the sum; a `Zero` where nothing was added."""
        return Zero(self.aval)


@final
class ValAccum(GradAccum):
    """A sum of cotangents, which is asked for when all have come."""

    def __init__(self, aval: AbstractValue, val: Tree = None) -> None:
        super().__init__(aval)
        self.val = val

    def accum(self, ct: Tree) -> None:
        """Add a cotangent."""
        if type(ct) is Zero:
            return
        if self.val is None:
            self.val = ct
        elif isinstance(self.aval, HiType):
            self.val = self.aval.vspace_add(self.val, ct)
        else:
            self.val = ops.add(as_array(self.val), as_array(ct))

    def freeze(self) -> Tree:
        """Return the sum."""
        return Zero(self.aval) if self.val is None else self.val


@final
class NullAccum(GradAccum):
    """The accumulator of an argument whose cotangent is not needed."""

    def accum(self, ct: Tree) -> None:
        """Do nothing."""


@final
class RefAccum(GradAccum):
    """A sum in a mutable reference, which a rule may also write itself."""

    def __init__(self, aval: AbstractValue, ref: Ref | None = None) -> None:
        super().__init__(aval)
        self.ref = ref

    def accum(self, ct: Tree) -> None:
        """Add a cotangent."""
        if type(ct) is Zero:
            return
        if self.ref is None:
            self.ref = Ref(as_array(ct))
        else:
            self.ref.addupdate(ct)

    def freeze(self) -> Tree:
        """Return the sum."""
        return Zero(self.aval) if self.ref is None else self.ref[...]
