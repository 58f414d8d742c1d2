"""Lowering of functions with batching rules: the family's rule calls what was staged."""

from __future__ import annotations

from treadle_compiler.registry import lowering_rules
from treadle_ir.primitives.custom_vmap import CustomVmapCall

lowering_rules.absent(CustomVmapCall, because="its Python function is staged first")
