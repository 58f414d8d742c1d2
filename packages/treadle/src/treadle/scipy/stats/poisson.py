"""The Poisson distribution of mean `mu`."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.scipy.stats.poisson import *  # noqa: F403 - all its names
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.scipy.stats.poisson")
