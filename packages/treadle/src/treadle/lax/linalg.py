"""Linear algebra under the names of `jax.lax.linalg`: factorisations of the matrices in the last two axes.

Leading axes are a batch. Element types are f32, f64, c64 and c128; a matrix that cannot be factorised has NaN.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.lax.linalg import *  # noqa: F403 - all its names
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.lax.linalg")
