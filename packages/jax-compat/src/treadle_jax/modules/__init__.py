"""Names of `jax` itself that are not treadle's: its version, and the switches of its
`config` that change nothing. Errors pass over the lines of treadle_jax's functions.
"""

from __future__ import annotations

import treadle_jax
from treadle_ir.errors import source
from treadle_jax import metadata
from treadle_jax.switches import declared as _declared

source.internal(treadle_jax.__path__[0])

__version__ = metadata.version()
__version_info__ = tuple(int(part) for part in __version__.split(".") if part.isdigit())


def __getattr__(name: str) -> object:
    if name == "config":
        return _declared()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
