"""Sparse arrays made, and dense ones of them: JAX's place for them."""

from __future__ import annotations

from treadle.experimental.sparse.creation import empty, eye, todense

__all__ = ["empty", "eye", "todense"]
