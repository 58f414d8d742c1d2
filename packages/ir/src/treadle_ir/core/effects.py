"""Effects: what an operation does besides computing its results.

The policy is data on the class. No package keeps a list of effects that it accepts: staging keeps effectful
equations, dead code elimination drops only pure ones, control flow refuses an effect with
`allowed_in_loops = False`, derivatives refuse `differentiable = False`, and lowering threads one token per
ordered effect class.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Hashable, Iterable
from typing import ClassVar, Final, TypeAlias, final

from treadle_ir.process.frozen_classes import frozen


class Effect(ABC):
    """Something that an operation does besides computing its results.

    A library's class overrides only the attributes that differ; its `name` defaults to the name of the class.
    """

    __slots__ = ()
    name: ClassVar[str]
    ordered: ClassVar[bool] = False  # keeps its place among its kind; lowered with a token
    allowed_in_loops: ClassVar[bool] = False
    differentiable: ClassVar[bool] = True  # may be repeated or dropped by a derivative
    # May also happen for batch elements that did not take the branch, where all branches are executed.
    may_be_speculated: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        if "name" not in cls.__dict__:
            cls.name = cls.__name__


Effects: TypeAlias = frozenset[Effect]
PURE: Final[Effects] = frozenset()


@final
@frozen
class Callback(Effect):
    """Runs Python code on the host at some time."""

    name: ClassVar[str] = "callback"
    ordered: ClassVar[bool] = False
    allowed_in_loops: ClassVar[bool] = True
    differentiable: ClassVar[bool] = True


@final
@frozen
class OrderedCallback(Effect):
    """Runs Python code on the host, in program order."""

    name: ClassVar[str] = "ordered_callback"
    ordered: ClassVar[bool] = True
    allowed_in_loops: ClassVar[bool] = True
    differentiable: ClassVar[bool] = True


@final
@frozen
class ForeignEffect(Effect):
    """Runs native code that does more than compute."""

    name: ClassVar[str] = "foreign"
    ordered: ClassVar[bool] = False
    allowed_in_loops: ClassVar[bool] = True
    differentiable: ClassVar[bool] = True


@final
@frozen
class NamedAxis(Effect):
    """Depends on a named axis that an outer transformation maps, even if no operand does."""

    name: ClassVar[str] = "named_axis"
    ordered: ClassVar[bool] = False
    allowed_in_loops: ClassVar[bool] = True
    differentiable: ClassVar[bool] = True
    axis: Hashable


def joined(effects: Iterable[Effects]) -> Effects:
    """Return the union of several sets of effects."""
    result = PURE
    for each in effects:
        if each:
            result = result | each
    return result
