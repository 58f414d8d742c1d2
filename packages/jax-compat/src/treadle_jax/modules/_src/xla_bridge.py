"""`jax._src.xla_bridge`: for chex, which asks for the platforms that are in use."""

from __future__ import annotations

_backends: dict[str, object] = {}  # treadle has platforms without a table of them
