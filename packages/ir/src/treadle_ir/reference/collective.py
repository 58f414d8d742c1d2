"""Collectives have no kernel."""

from __future__ import annotations

from treadle_ir.primitives.collective import Collective
from treadle_ir.reference.registry import eval_rules

eval_rules.absent(
    Collective,
    because="it has a meaning only inside of the transformation that maps the named axis",
)
