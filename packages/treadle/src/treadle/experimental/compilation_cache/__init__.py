"""What JAX keeps under `experimental.compilation_cache`."""

from __future__ import annotations

from treadle.experimental.compilation_cache import compilation_cache as compilation_cache
