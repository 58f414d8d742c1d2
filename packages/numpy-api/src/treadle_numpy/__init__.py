"""treadle-numpy: the NumPy-shaped interface of treadle: array functions, operators, random numbers.

Importing it puts the operators and methods on arrays. `treadle_numpy` offers the functions of
`treadle_numpy.numpy` themselves, and `image`, `lax`, `nn`, `ops`, `random` and `scipy` besides. The facade
re-exports these packages as `treadle.numpy`, `treadle.lax`, ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir import Array as Array
from treadle_ir.core.dtypes import float0 as float0
from treadle_ir.errors import source as _source
from treadle_numpy import namespaces, settings as _settings  # noqa: F401 - declares them
from treadle_numpy._version import __version__ as __version__
from treadle_numpy.arrays.table import install as _install
from treadle_numpy.indexing.slices import ds as ds
from treadle_numpy.operands.coerce import ArrayLike as ArrayLike
from treadle_numpy.operands.dtypes import DTypeLike as DTypeLike

if TYPE_CHECKING:
    from treadle_numpy import (
        image as image,
        lax as lax,
        nn as nn,
        numpy as numpy,
        ops as ops,
        random as random,
        scipy as scipy,
    )
    from treadle_numpy.numpy import *  # noqa: F403 - the names of that package, whichever they are
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(
        __name__,
        "treadle_numpy.numpy",
        submodules=("image", "lax", "nn", "numpy", "ops", "random", "scipy"),
        own=("Array", "ArrayLike", "DTypeLike", "ds", "float0"),
    )

_install()
_source.internal(__path__[0])  # noqa: F405 - it is the module's own
