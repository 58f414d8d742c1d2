"""Initial values of parameters: each function returns an initializer, a function of key, shape and element type.

`zeros` and `ones` are initializers themselves. The same key gives the numbers that JAX gives, up to rounding.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.nn.initializers import *  # noqa: F403 - all its names
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.nn.initializers")
