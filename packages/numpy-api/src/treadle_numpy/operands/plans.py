"""Plans: primitives that are made once for operands of some types, for functions that must cost little."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, TypeAlias, TypeVar

from treadle_ir import ArrayType, Primitive

Key = TypeVar("Key", bound=Hashable)
Plan = TypeVar("Plan")
Plans: TypeAlias = dict[object, Primitive]
"""Primitives that were made, by the types of operands and whatever else decides."""

_KEPT: Final = 4096


def remember(plans: dict[Key, Plan], key: Key, plan: Plan) -> None:
    """Keep what was planned for the next time; a table that has grown large starts again."""
    if len(plans) >= _KEPT:
        plans.clear()
    plans[key] = plan


def key_with_integers(a: object, numbers: object) -> tuple[ArrayType, int | tuple[int, ...]] | None:
    """Return the type of an array and an integer or a tuple of them, to look a plan up by; None for anything else."""
    if numbers.__class__ is not tuple:
        if numbers.__class__ is not int:
            return None
    else:
        for n in numbers:
            if n.__class__ is not int:
                return None
    try:
        return a.type, numbers  # type: ignore[attr-defined]
    except AttributeError:
        return None
