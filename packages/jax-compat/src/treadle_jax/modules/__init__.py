"""Names of `jax` itself that are not treadle's: its version."""

from __future__ import annotations

from treadle_jax import metadata

__version__ = metadata.version()
__version_info__ = tuple(int(part) for part in __version__.split(".") if part.isdigit())
