"""The promises of indexing operations about their indices, which XLA exploits."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from treadle_ir.primitives.indexing.gather import Gather
from treadle_ir.primitives.indexing.positions import Mode
from treadle_ir.primitives.indexing.scatter import ScatterFamily

Indexed: TypeAlias = Gather | ScatterFamily


def makes_promises(primitive: Indexed) -> bool:
    """Return whether the operation makes a promise that indices can break."""
    return (
        primitive.mode == "promise_in_bounds"
        or primitive.indices_are_sorted
        or primitive.unique_indices
    )


def without_promises(primitive: Indexed) -> Indexed:
    """Return the same operation for any indices, with XLA's default behaviour for indices out of range."""
    mode: Mode = primitive.mode
    if mode == "promise_in_bounds":
        mode = "clip" if isinstance(primitive, Gather) else "fill"
    return replace(primitive, mode=mode, indices_are_sorted=False, unique_indices=False)
