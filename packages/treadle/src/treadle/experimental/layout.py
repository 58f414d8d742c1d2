"""The order of elements in memory: `Layout`, with a sharding `Format`, and what asks for an order within a program."""

from __future__ import annotations

from treadle_ir.errors import boundaries
from treadle_runtime import (
    Format as Format,
    Layout as Layout,
    with_layout_constraint as with_layout_constraint,
)

__all__ = ["Format", "Layout", "with_layout_constraint"]

boundaries(__name__)
