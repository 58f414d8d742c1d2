"""Numbers with names."""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = ["e", "euler_gamma", "inf", "nan", "newaxis", "pi"]

e: Final = np.e
euler_gamma: Final = np.euler_gamma
inf: Final = np.inf
nan: Final = np.nan
newaxis: Final = None
pi: Final = np.pi
