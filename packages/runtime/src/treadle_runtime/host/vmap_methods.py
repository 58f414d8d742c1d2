"""How `vmap` runs functions that it cannot look into."""

from __future__ import annotations

from treadle_ir import ArgumentError
from treadle_ir.errors import names, shown
from treadle_ir.primitives.effectful import VMAP_METHODS


def check_vmap_method(function: str, vmap_method: object) -> None:
    """Check the `vmap_method` that a user asks for.

    Raises:
        ArgumentError: it is neither None nor one of those that there are.
    """
    names(function, vmap_method=vmap_method)
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise ArgumentError(
            f"{function}: vmap_method must be one of {', '.join(VMAP_METHODS)}, got {shown(vmap_method)}"
        )
