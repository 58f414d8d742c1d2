"""`jax.lib`: for libraries that ask for jaxlib's version; JAX keeps nothing else there."""

from __future__ import annotations

import jaxlib as _jaxlib

__version__: str = _jaxlib.version.__version__
