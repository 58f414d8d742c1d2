"""NumPy evaluation of functions with batching rules: the family's rule runs what was staged."""

from __future__ import annotations

from treadle_ir.primitives.custom_vmap import CustomVmapCall
from treadle_ir.reference.registry import eval_rules

eval_rules.absent(CustomVmapCall, because="its Python function runs instead")
