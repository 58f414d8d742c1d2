"""Initial values of parameters: each function returns an initializer, a function of key, shape and element type.

`zeros` and `ones` are initializers themselves. The others draw with `random`, which documents its algorithms.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.nn.initializers.orthogonals import (
        delta_orthogonal as delta_orthogonal,
        orthogonal as orthogonal,
    )
    from treadle_numpy.nn.initializers.plain import (
        constant as constant,
        normal as normal,
        ones as ones,
        truncated_normal as truncated_normal,
        uniform as uniform,
        zeros as zeros,
    )
    from treadle_numpy.nn.initializers.protocol import Initializer as Initializer
    from treadle_numpy.nn.initializers.scaled import (
        glorot_normal as glorot_normal,
        glorot_uniform as glorot_uniform,
        he_normal as he_normal,
        he_uniform as he_uniform,
        kaiming_normal as kaiming_normal,
        kaiming_uniform as kaiming_uniform,
        lecun_normal as lecun_normal,
        lecun_uniform as lecun_uniform,
        variance_scaling as variance_scaling,
        xavier_normal as xavier_normal,
        xavier_uniform as xavier_uniform,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "orthogonals": "delta_orthogonal orthogonal",
            "plain": "constant normal ones truncated_normal uniform zeros",
            "protocol": "Initializer",
            "scaled": (
                "glorot_normal glorot_uniform he_normal he_uniform kaiming_normal kaiming_uniform "
                "lecun_normal lecun_uniform variance_scaling xavier_normal xavier_uniform"
            ),
        },
    )
