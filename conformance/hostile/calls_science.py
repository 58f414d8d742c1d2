"""Valid calls of what is composed of other functions: segments, images, SciPy's functions."""

from __future__ import annotations

from typing import Any, Final

import treadle.image
import treadle.numpy as tnp
import treadle.ops
import treadle.scipy.cluster.vq
import treadle.scipy.integrate
import treadle.scipy.interpolate
import treadle.scipy.ndimage
import treadle.scipy.signal

NAMESPACES: Final[dict[str, Any]] = {
    "ops": treadle.ops,
    "image": treadle.image,
    "image.ResizeMethod": treadle.image.ResizeMethod,
    "scipy.ndimage": treadle.scipy.ndimage,
    "scipy.integrate": treadle.scipy.integrate,
    "scipy.signal": treadle.scipy.signal,
    "scipy.interpolate": treadle.scipy.interpolate,
    "scipy.cluster.vq": treadle.scipy.cluster.vq,
    "grid": treadle.scipy.interpolate.RegularGridInterpolator(
        (tnp.array([0.0, 1.0]), tnp.array([0.0, 2.0])), tnp.ones((2, 2))
    ),
    "tnp.add": tnp.add,
    "tnp.logaddexp": tnp.logaddexp,
    "tnp.negative": tnp.negative,
}
LEFT_OUT: Final = {
    "image.ResizeMethod": "an enumeration",
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
tnp: polyder polyint poly roots (v)
tnp: polyfit (v, w, 1)
tnp.add: reduce accumulate (x)
tnp.add: reduceat (v, i)
tnp.add: at (v, i, 1.0, inplace=False)
tnp.add: outer (v, w)
tnp.logaddexp: reduce accumulate (x)
tnp.logaddexp: reduceat (v, i)
tnp.logaddexp: at (v, i, 1.0, inplace=False)
tnp.logaddexp: outer (v, w)
tnp.negative: at (v, i, inplace=False)
image: resize (x, (3, 2), "linear")
image: scale_and_translate (x, (3, 3), (0,), v[:1], v[:1], "cubic")
image.ResizeMethod: from_string ("linear")
scipy.ndimage: map_coordinates (x, [v, v], 1)
scipy.integrate: trapezoid (v)
scipy.signal: convolve correlate fftconvolve (v, w)
scipy.signal: convolve2d correlate2d (x, square)
scipy.signal: detrend (x)
scipy.signal: stft welch (x, nperseg=2)
scipy.signal: csd (v, w, nperseg=2)
scipy.signal: istft (x, nperseg=2)
scipy.interpolate: RegularGridInterpolator ((tnp.array([0.0, 1.0]), w), x)
scipy.cluster.vq: vq (x, square)
grid: __call__ (x[:, :2])
"""
