"""Functions of dense arrays applied to sparse ones: JAX's place for them."""

from __future__ import annotations

from treadle.experimental.sparse.sparsification import sparsify

__all__ = ["sparsify"]
