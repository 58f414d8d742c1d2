"""Numbers with names, and the warning of NumPy's for imaginary parts that are lost."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.exceptions import ComplexWarning

__all__ = ["ComplexWarning", "e", "euler_gamma", "inf", "nan", "newaxis", "pi"]

e: Final = np.e
euler_gamma: Final = np.euler_gamma
inf: Final = np.inf
nan: Final = np.nan
newaxis: Final = None
pi: Final = np.pi
