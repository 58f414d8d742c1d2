"""Functions with batching rules of their own."""

from __future__ import annotations

from treadle_batching import custom_vmap as custom_vmap, sequential_vmap as sequential_vmap
from treadle_ir.errors import boundaries

boundaries(__name__)
