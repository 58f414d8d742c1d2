"""Collectives have no lowering."""

from __future__ import annotations

from treadle_compiler.registry import lowering_rules
from treadle_ir.primitives.collective import Collective

lowering_rules.absent(
    Collective,
    because="it has a meaning only inside of the transformation that maps the named axis",
)
