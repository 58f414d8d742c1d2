"""Sparse arrays made, and dense ones of them: JAX's place for them."""

from __future__ import annotations

from treadle.experimental.sparse.creation import empty, eye, todense
from treadle.experimental.sparse.primitives import (
    todense_p as todense_p,
)
from treadle_ir.errors import boundaries

__all__ = ["empty", "eye", "todense", "todense_p"]

boundaries(__name__)
