"""Rows of `treadle.lax`: functions of numbers, at the points of the same function elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import mpmath as mp
import numpy as np

import treadle
import treadle.lax as lax
from conformance.derivatives import nn_functions, numpy_functions, special_functions
from conformance.derivatives.row import Row, scalar
from treadle.sharding import NamedSharding, PartitionSpec

ONE_DEVICE: Final = NamedSharding(treadle.make_mesh((1,), ("x",)), PartitionSpec())
SAME: Final = {
    **{
        name: f"numpy.{name}"
        for name in ("abs", "cbrt", "cos", "cosh", "exp", "exp2", "expm1", "log", "log1p")
    },
    **{
        name: f"numpy.{name}"
        for name in ("reciprocal", "sin", "sinh", "sqrt", "square", "tan", "tanh", "nextafter")
    },
    **{
        f"a{name}": f"numpy.arc{name}"
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "tan2")
    },
    "add": "numpy.add",
    "sub": "numpy.subtract",
    "mul": "numpy.multiply",
    "div": "numpy.divide",
    "neg": "numpy.negative",
    "rem": "numpy.fmod",
    "max": "numpy.maximum",
    "min": "numpy.minimum",
    "pow": "numpy.float_power",
    "logistic": "nn.sigmoid",
    "lgamma": "scipy.special.gammaln",
    "digamma": "scipy.special.digamma",
    "erf": "scipy.special.erf",
    "erfc": "scipy.special.erfc",
    "erf_inv": "scipy.special.erfinv",
}
OTHERS: Final = (*numpy_functions.ROWS, *special_functions.ROWS, *nn_functions.ROWS)

ROWS: Final[tuple[Row, ...]] = (
    *(
        replace(row, name=f"lax.{name}")
        for name, other in SAME.items()
        for row in OTHERS
        if row.name == other and row.function is None
    ),
    scalar("lax.rsqrt", lambda x: 1 / mp.sqrt(x), 1.0, 1e-9, 1e20),
    *(
        scalar(
            "lax.integer_pow",
            lambda x, n=n: x**n,
            *at,
            function=lambda x, n=n: lax.integer_pow(x, n),
        )
        for n, at in {
            0: (0.0, 2.0),
            1: (0.0,),
            2: (0.0, -2.0),
            3: (0.0, -2.0),
            4: (0.0, -2.0),
            -1: (2.0,),
            -2: (-2.0,),
        }.items()
    ),
    scalar(
        "lax.clamp",
        lambda low, x, high: min(max(x, low), high),
        (0.0, 0.5, 1.0),
        (0.0, -2.0, 1.0),
        (0.0, 3.0, 1.0),
        kinks=((0.0, 0.0, 1.0),),
    ),
    scalar(
        "lax.complex",
        lambda x, y: x * x - y * y,
        (0.0, 0.0),
        (1.0, 2.0),
        function=lambda x, y: lax.real(lax.square(lax.complex(x, y))),
    ),
    scalar(
        "lax.real",
        lambda x, y: x * x - y * y,
        (0.0, 0.0),
        (1.0, 2.0),
        function=lambda x, y: lax.real(lax.complex(x, y) ** 2),
    ),
    scalar(
        "lax.imag",
        lambda x, y: 2 * x * y,
        (0.0, 0.0),
        (1.0, 2.0),
        function=lambda x, y: lax.imag(lax.complex(x, y) ** 2),
    ),
    scalar(
        "lax.conj",
        lambda x, y: -2 * x * y,
        (0.0, 0.0),
        (1.0, 2.0),
        function=lambda x, y: lax.imag(lax.conj(lax.complex(x, y) ** 2)),
    ),
    scalar(
        "lax.convert_element_type",
        lambda x: x,
        0.5,
        function=lambda x: lax.convert_element_type(x, np.float64),
    ),
    scalar(
        "lax.reduce_precision", lambda x: x, 0.5, function=lambda x: lax.reduce_precision(x, 8, 23)
    ),
    scalar(
        "lax.optimization_barrier",
        lambda x: x**3,
        0.5,
        function=lambda x: lax.optimization_barrier(x**3),
    ),
    scalar(
        "lax.with_sharding_constraint",
        lambda x: x**3,
        0.5,
        function=lambda x: lax.with_sharding_constraint(x**3, ONE_DEVICE),
    ),
    scalar(
        "lax.select",
        lambda x, y: x * x * y,
        (0.0, 3.0),
        function=lambda x, y: lax.select(x > 100.0, y, x * x * y),
    ),
    scalar(
        "lax.select_n",
        lambda x, y: x * x * y,
        (0.0, 3.0),
        function=lambda x, y: lax.select_n(x > 100.0, x * x * y, y),
    ),
    scalar(
        "lax.full", lambda x: np.array([x**3, x**3]), 0.5, function=lambda x: lax.full((2,), x**3)
    ),
    scalar(
        "lax.full_like",
        lambda x: np.array([x**3, x**3]),
        0.5,
        function=lambda x: lax.full_like(np.zeros(2), x**3),
    ),
    scalar("lax.stop_gradient", lambda x: mp.mpf(0), 0.5),
)
