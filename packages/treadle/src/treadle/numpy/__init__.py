"""`import treadle.numpy as tnp`: NumPy's functions on treadle's arrays."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.numpy import *  # noqa: F403 - all its names
    from treadle_numpy.numpy import (
        __array_api_version__ as __array_api_version__,
        __array_namespace_info__ as __array_namespace_info__,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(
        __name__, "treadle_numpy.numpy", ("fft", "linalg")
    )
