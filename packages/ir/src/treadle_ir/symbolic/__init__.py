"""Symbolic dimensions: sizes that a program leaves open, with what is known of them."""

from __future__ import annotations

from treadle_ir.symbolic.dimension import (
    SymbolicDimension as SymbolicDimension,
    read_dimension as read_dimension,
    read_shape as read_shape,
)
from treadle_ir.symbolic.scope import SymbolicScope as SymbolicScope
