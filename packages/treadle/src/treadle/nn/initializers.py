"""Initial values of parameters: each function returns an initializer, a function of key, shape and element type.

`zeros` and `ones` are initializers themselves. The same key gives the numbers that JAX gives, up to rounding.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.nn.initializers import (
        Initializer as Initializer,
        constant as constant,
        delta_orthogonal as delta_orthogonal,
        glorot_normal as glorot_normal,
        glorot_uniform as glorot_uniform,
        he_normal as he_normal,
        he_uniform as he_uniform,
        kaiming_normal as kaiming_normal,
        kaiming_uniform as kaiming_uniform,
        lecun_normal as lecun_normal,
        lecun_uniform as lecun_uniform,
        normal as normal,
        ones as ones,
        orthogonal as orthogonal,
        truncated_normal as truncated_normal,
        uniform as uniform,
        variance_scaling as variance_scaling,
        xavier_normal as xavier_normal,
        xavier_uniform as xavier_uniform,
        zeros as zeros,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.nn.initializers")
