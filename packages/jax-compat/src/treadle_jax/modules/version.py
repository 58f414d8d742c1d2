"""`jax.version`: the release whose names are offered."""

from __future__ import annotations

from treadle_jax.modules import (
    __version__ as __version__,
    __version_info__ as __version_info__,
)
