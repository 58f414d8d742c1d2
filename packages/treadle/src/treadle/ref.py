"""Mutable references: cells that hold an array."""

from __future__ import annotations

from treadle_ir.errors import boundaries
from treadle_ir.refs import (
    AbstractRef as AbstractRef,
    Ref as Ref,
    empty_ref as empty_ref,
    free_ref as free_ref,
    freeze as freeze,
    new_ref as new_ref,
    ref_addupdate as addupdate,
    ref_get as get,
    ref_set as set,
    ref_swap as swap,
)

__all__ = [
    "AbstractRef",
    "Ref",
    "addupdate",
    "empty_ref",
    "free_ref",
    "freeze",
    "get",
    "new_ref",
    "set",
    "swap",
]

boundaries(__name__)
