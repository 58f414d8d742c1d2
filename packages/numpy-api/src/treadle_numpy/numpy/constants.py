"""Numbers with names, classes under the names that NumPy has, and the warning for discarded imaginary parts."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.exceptions import ComplexWarning

from treadle_ir import Array
from treadle_numpy.numpy.dtypes.types import bool_

__all__ = ["ComplexWarning", "bool", "e", "euler_gamma", "inf", "nan", "ndarray", "newaxis", "pi"]

e: Final = np.e
euler_gamma: Final = np.euler_gamma
inf: Final = np.inf
nan: Final = np.nan
newaxis: Final = None
pi: Final = np.pi


bool = bool_
ndarray = Array
