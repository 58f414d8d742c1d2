"""Random sparse arrays: JAX's place for them."""

from __future__ import annotations

from treadle.experimental.sparse.creation import random_bcoo

__all__ = ["random_bcoo"]
