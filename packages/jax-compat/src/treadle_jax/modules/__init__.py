"""Names of `jax` itself that are not treadle's: its version. Errors pass over the lines of treadle_jax's functions."""

from __future__ import annotations

import treadle_jax
from treadle_ir import source
from treadle_jax import metadata

source.internal(treadle_jax.__path__[0])

__version__ = metadata.version()
__version_info__ = tuple(int(part) for part in __version__.split(".") if part.isdigit())
