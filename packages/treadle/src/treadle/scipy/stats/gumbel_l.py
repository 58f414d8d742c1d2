"""The left-skewed Gumbel distribution, of minima."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.scipy.stats.gumbel_l import (
        cdf as cdf,
        logcdf as logcdf,
        logpdf as logpdf,
        logsf as logsf,
        pdf as pdf,
        ppf as ppf,
        sf as sf,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(
        __name__, "treadle_numpy.scipy.stats.gumbel_l"
    )
