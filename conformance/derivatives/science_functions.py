"""Rows of `treadle.image` and of what is composed in `treadle.scipy`."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

from conformance.derivatives.row import Row, array
from treadle import image
from treadle.scipy import ndimage, signal
from treadle.scipy.cluster import vq
from treadle.scipy.interpolate import RegularGridInterpolator

V: Final = [0.5, -1.0, 2.0]
M: Final = [[0.5, -1.0, 2.0], [0.0, 3.0, 1.5]]
CODES: Final = [[4.0, 0.0], [0.0, 0.5]]
ROUNDING: Final = "elements are differences of larger ones, which are rounded"
WHOLE: Final[dict[str, Any]] = {"window": "boxcar", "nperseg": 2, "noverlap": 0}
LINE: Final = np.array([0.0, 1.0, 3.0])


def moved(x: Any, scale: Any, translation: Any) -> Any:
    """Two pixels in the middle of three, made larger."""
    places = [(i + mp.mpf(1) / 2 - translation[0]) / scale[0] - mp.mpf(1) / 2 for i in (2, 3)]
    return np.array([x[0] + (x[1] - x[0]) * place for place in places])


def at(x: Any, i: Any, j: Any) -> Any:
    """Between the first pixels."""
    top = x[0, 0] + (x[0, 1] - x[0, 0]) * j
    bottom = x[1, 0] + (x[1, 1] - x[1, 0]) * j
    return top + (bottom - top) * i


ROWS: Final[tuple[Row, ...]] = (
    array(
        "image.resize",
        V,
        truth=lambda x: np.array([x[0], (3 * x[0] + x[1]) / 4, (x[0] + 3 * x[1]) / 4]),
        function=lambda x: image.resize(x, (6,), "linear")[:3],
    ),
    array(
        "image.scale_and_translate",
        ([0.5, -1.0], [4.0], [0.25]),
        truth=moved,
        function=lambda x, s, t: image.scale_and_translate(x, (9,), (0,), s, t, "linear")[2:4],
    ),
    array(
        "scipy.ndimage.map_coordinates",
        (M, 0.25, 0.5),
        truth=at,
        function=lambda x, i, j: ndimage.map_coordinates(x, [i, j], 1),
    ),
    array(
        "scipy.integrate.trapezoid",
        V,
        truth=lambda y: (y[0] + y[1]) / 2 + (y[1] + y[2]) / 2,
    ),
    array(
        "scipy.interpolate.RegularGridInterpolator",
        (V, 0.25),
        (V, 2.0),
        truth=lambda v, x: (
            v[0] + (v[1] - v[0]) * x if x < 1 else v[1] + (v[2] - v[1]) * (x - 1) / 2
        ),
        function=lambda v, x: RegularGridInterpolator((LINE,), v)((x,)),
    ),
    array(
        "scipy.cluster.vq.vq",
        ([[3.0, 1.0]], CODES),
        truth=lambda x, c: np.array([mp.sqrt(np.sum((x[0] - c[0]) ** 2))]),
        function=lambda x, c: vq.vq(x, c)[1],
    ),
    *(
        array(f"scipy.signal.{name}", (V, [4.0, 0.0]), truth=np.convolve, **more)
        for name, more in (("convolve", {}), ("fftconvolve", {"atol": 1e-12, "because": ROUNDING}))
    ),
    array("scipy.signal.correlate", (V, [4.0, 0.0]), truth=lambda x, y: np.convolve(x, y[::-1])),
    array(
        "scipy.signal.convolve2d",
        (M, [[3.0, 2.0, 1.0]]),
        truth=lambda x, y: np.stack([np.convolve(row, y[0]) for row in x]),
    ),
    array(
        "scipy.signal.correlate2d",
        (M, [[3.0, 2.0, 1.0]]),
        truth=lambda x, y: np.stack([np.convolve(row, y[0][::-1]) for row in x]),
    ),
    array(
        "scipy.signal.detrend",
        V,
        truth=lambda x: np.array([1, -2, 1]) * (x[0] - 2 * x[1] + x[2]) / 6,
        atol=1e-12,
        because=ROUNDING,
    ),
    array(
        "scipy.signal.welch",
        [0.5, 2.0],
        truth=lambda x: np.array([(x[0] + x[1]) ** 2, (x[0] - x[1]) ** 2]) / 2,
        function=lambda x: signal.welch(x, **WHOLE, detrend=False)[1],
    ),
    array(
        "scipy.signal.csd",
        ([0.5, 2.0], [1.0, -3.0]),
        truth=lambda x, y: (
            np.array([(x[0] + x[1]) * (y[0] + y[1]), (x[0] - x[1]) * (y[0] - y[1])]) / 2
        ),
        function=lambda x, y: signal.csd(x, y, **WHOLE, detrend=False)[1].real,
    ),
    array(
        "scipy.signal.stft",
        [0.5, 2.0],
        truth=lambda x: np.array([[x[0] + x[1]], [x[0] - x[1]]]) / 2,
        function=lambda x: signal.stft(x, **WHOLE, boundary=None)[2].real,
    ),
    array(
        "scipy.signal.istft",
        [[0.5], [2.0]],
        truth=lambda z: np.array([z[0, 0] + z[1, 0], z[0, 0] - z[1, 0]]),
        function=lambda z: signal.istft(z, **WHOLE, boundary=False)[1],
    ),
)
