"""Random sparse arrays: JAX's place for them."""

from __future__ import annotations

from treadle.experimental.sparse.creation import random_bcoo
from treadle_ir.errors import boundaries

__all__ = ["random_bcoo"]

boundaries(__name__)
