"""Names of `jax` itself that are not treadle's: its version."""

from __future__ import annotations

from treadle_jax.metadata import version

__version__ = version()
__version_info__ = tuple(int(part) for part in __version__.split(".")[:3])

__all__ = ["__version__", "__version_info__"]
