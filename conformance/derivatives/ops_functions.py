"""Rows of `treadle.ops`."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

from conformance.derivatives.row import Row, array
from treadle import ops

V: Final = [0.5, -1.0, 2.0, 4.0]
ZERO: Final = [0.0, 3.0, 2.0, 4.0]
ZEROS: Final = [0.0, 3.0, 0.0, 4.0]
M: Final = [[0.5, -1.0], [2.0, 0.0], [1.5, 3.0], [0.25, 7.0]]
IDS: Final = np.array([1, 3, 1, -1])  # of which two are left out


def by_segment(name: str, **options: Any) -> Any:
    """A function of the rows alone."""
    return lambda x: getattr(ops, f"segment_{name}")(x, IDS, 2, **options)


def total(x: Any) -> Any:
    """One segment is empty."""
    return np.stack([x[0] * 0, x[0] + x[2]])


def product(x: Any) -> Any:
    """One segment is empty."""
    return np.stack([x[0] * 0 + mp.mpf(1), x[0] * x[2]])


ROWS: Final[tuple[Row, ...]] = (
    *(
        array(f"ops.segment_{name}", x, truth=truth, function=by_segment(name, **options))
        for name, truth in (("sum", total), ("prod", product))
        for x, options in ((V, {}), (M, {}), (ZERO, {"bucket_size": 2}), (ZEROS, {}))
    ),
    *(
        array(
            f"ops.segment_{name}",
            V,
            truth=lambda x, place=place: np.stack([x[place]]),
            function=lambda x, name=name, options=options: by_segment(name, **options)(x)[1:],
            kinks=((ZEROS,),),
        )
        for name, place in (("max", 2), ("min", 0))
        for options in ({}, {"bucket_size": 1})
    ),
)
