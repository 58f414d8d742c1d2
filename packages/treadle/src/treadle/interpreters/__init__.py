"""JAX's places for the rules of operations, by transformation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle.interpreters import (
        ad as ad,
        batching as batching,
        mlir as mlir,
        partial_eval as partial_eval,
        xla as xla,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {},
        (
            "ad",
            "batching",
            "mlir",
            "partial_eval",
            "xla",
        ),
    )
