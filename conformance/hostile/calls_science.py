"""Valid calls of what is composed of other functions: segments, images, SciPy's functions."""

from __future__ import annotations

from typing import Any, Final

import treadle.numpy as tnp
import treadle.ops

NAMESPACES: Final[dict[str, Any]] = {
    "ops": treadle.ops,
    "tnp.add": tnp.add,
    "tnp.logaddexp": tnp.logaddexp,
    "tnp.negative": tnp.negative,
}
LEFT_OUT: Final = {
    **dict.fromkeys(
        [f"tnp.negative.{name}" for name in ("accumulate", "outer", "reduce", "reduceat")],
        "negative has one operand",
    ),
    "tnp.ComplexWarning": "a warning of NumPy's",
    "tnp.fromfile": "it reads files: the errors of opening them are Python's",
}
TABLE: Final = """
ops: segment_max segment_min segment_prod segment_sum (v, i)
tnp: gcd lcm ldexp (i, i)
tnp: frexp modf spacing unique_all unique_counts unique_inverse unique_values minmax iterable trim_zeros (x)
tnp: packbits (b)
tnp: unpackbits (tnp.array([1, 2], dtype="uint8"))
tnp: choose (i, [v, w, 1.0])
tnp: delete (v, i)
tnp: insert (v, i, w)
tnp: fill_diagonal (x, w, inplace=False)
tnp: mask_indices (3, tnp.triu)
tnp: setxor1d (v, w)
tnp: histogram2d (v, w)
tnp: histogramdd (square)
tnp: frombuffer (b"12345678")
tnp: fromstring ("1 2", sep=" ")
tnp: fromiter ([1, 2], int)
tnp: vectorize (cube_of)
tnp: frompyfunc (plus, 2, 1)
tnp: polyadd polysub polymul polydiv (v, w)
tnp: polyder polyint (v)
tnp.add: reduce accumulate (x)
tnp.add: reduceat (v, i)
tnp.add: at (v, i, 1.0, inplace=False)
tnp.add: outer (v, w)
tnp.logaddexp: reduce accumulate (x)
tnp.logaddexp: reduceat (v, i)
tnp.logaddexp: at (v, i, 1.0, inplace=False)
tnp.logaddexp: outer (v, w)
tnp.negative: at (v, i, inplace=False)
"""
