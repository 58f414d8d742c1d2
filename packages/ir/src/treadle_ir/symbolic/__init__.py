"""Symbolic dimensions: sizes that a program leaves open, with what is known of them."""

from __future__ import annotations

from treadle_ir.sizes import is_symbolic as is_symbolic
from treadle_ir.symbolic.dimension import (
    SymbolicDimension as SymbolicDimension,
    is_symbolic_dim as is_symbolic_dim,
    max_dim as max_dim,
    min_dim as min_dim,
    read_dimension as read_dimension,
    read_shape as read_shape,
    scope_of as scope_of,
    symbolic_dim_bounds as symbolic_dim_bounds,
)
from treadle_ir.symbolic.scope import SymbolicScope as SymbolicScope
