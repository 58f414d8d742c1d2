"""What an operation of indexing promises of its indices, for XLA to make use of."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from treadle_ir.primitives.indexing.gather import Gather
from treadle_ir.primitives.indexing.positions import Mode
from treadle_ir.primitives.indexing.scatter import ScatterFamily

Indexed: TypeAlias = Gather | ScatterFamily


def makes_promises(primitive: Indexed) -> bool:
    """Whether there is a promise that indices can break."""
    return (
        primitive.mode == "promise_in_bounds"
        or primitive.indices_are_sorted
        or primitive.unique_indices
    )


def without_promises(primitive: Indexed) -> Indexed:
    """The same operation for any indices: those out of range are treated as XLA does by itself."""
    mode: Mode = primitive.mode
    if mode == "promise_in_bounds":
        mode = "clip" if isinstance(primitive, Gather) else "fill"
    return replace(primitive, mode=mode, indices_are_sorted=False, unique_indices=False)
