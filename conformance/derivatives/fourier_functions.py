"""Rows of Fourier and cosine transforms: linear, so their truth is a matrix, and what they are given is cubed first."""

from __future__ import annotations

from typing import Any, Final

import mpmath
import numpy as np

import treadle.numpy as tnp
from conformance.derivatives.numpy_arrangements import cubes
from conformance.derivatives.numpy_reductions import M, V
from conformance.derivatives.row import Row, array, public


def waves(n: int, count: int) -> tuple[Any, Any]:
    """Cosines and sines of 2 pi j k / n, for k < count."""
    angles = [[2 * mpmath.pi * j * k / n for j in range(n)] for k in range(count)]
    of = np.frompyfunc(mpmath.cos, 1, 1), np.frompyfunc(mpmath.sin, 1, 1)
    return of[0](np.array(angles, object)), of[1](np.array(angles, object))


def parts(z: Any) -> Any:
    """Real and imaginary part: derivatives are of real functions."""
    return tnp.stack([tnp.real(z), tnp.imag(z)])


def forward(name: str, half: bool = False, sign: int = -1, scale: int = 0) -> Row:
    """A transform of real numbers; `scale` 1 divides by n."""

    def truth(x: Any) -> Any:
        n = len(x)
        c, s = waves(n, n // 2 + 1 if half else n)
        return np.stack([c @ cubes(x), sign * (s @ cubes(x))]) / n**scale

    return array(name, V, truth=truth, function=lambda x: parts(public(name)(cubes(x))))


def back(name: str, n: int, of: Any, scale: int = 1) -> Row:
    """A transform of half a spectrum, given by its real part: sums of cosines, counted twice but at the ends."""

    def truth(x: Any) -> Any:
        c, _ = waves(n, n // 2 + 1)
        twice = np.array([1 if 2 * k in (0, n) else 2 for k in range(n // 2 + 1)])
        return (cubes(x) * twice) @ c / n**scale

    return array(name, V, truth=truth, function=lambda x: of(cubes(x), n))


def planes(name: str, scale: int = 0, half: bool = False, back: bool = False) -> Row:
    """A transform of real numbers along two axes: real part, or the sum of the parts."""

    def truth(x: Any) -> Any:
        x = cubes(x)
        rows, columns = x.shape
        width = 2 * (columns - 1) if back else columns
        c, s = waves(rows, rows)
        d, t = waves(width, columns if back or not half else columns // 2 + 1)
        if back:  # the imaginary part of the sum over columns is left out
            twice = np.array([1 if 2 * k in (0, width) else 2 for k in range(columns)])
            x = x * twice
            return (c @ x @ d - s @ x @ t) / (rows * width)
        d, t = d.T, t.T
        real, imaginary = c @ x @ d - s @ x @ t, c @ x @ t + s @ x @ d
        return np.stack([real, (1 if scale else -1) * imaginary]) / (rows * columns) ** scale

    call = public(name)
    return array(
        name, M, truth=truth, function=lambda x: call(cubes(x)) if back else parts(call(cubes(x)))
    )


def cosines(x: Any) -> Any:
    """The cosine transform of type II along the last axis."""
    n = x.shape[-1]
    angles = [[mpmath.pi * k * (2 * j + 1) / (2 * n) for k in range(n)] for j in range(n)]
    return 2 * (x @ np.frompyfunc(mpmath.cos, 1, 1)(np.array(angles, object)))


def from_cosines(y: Any) -> Any:
    """Its inverse."""
    n = y.shape[-1]
    angles = [[mpmath.pi * k * (2 * j + 1) / (2 * n) for j in range(n)] for k in range(n)]
    halved = np.array([0.5] + [1] * (n - 1))
    return (y * halved) @ np.frompyfunc(mpmath.cos, 1, 1)(np.array(angles, object)) / n


def shifted(name: str) -> Row:
    """Elements in another order."""
    original = getattr(np.fft, name)
    return array(
        f"numpy.fft.{name}",
        V,
        truth=lambda x: original(cubes(x)),
        function=lambda x: public(f"numpy.fft.{name}")(cubes(x)),
    )


ROWS: Final = (
    forward("numpy.fft.fft"),
    forward("numpy.fft.ifft", sign=1, scale=1),
    forward("numpy.fft.rfft", half=True),
    forward("numpy.fft.ihfft", half=True, sign=1, scale=1),
    back("numpy.fft.irfft", 4, tnp.fft.irfft),
    back("numpy.fft.irfft", 5, tnp.fft.irfft),
    back("numpy.fft.hfft", 4, tnp.fft.hfft, scale=0),
    *[planes(f"numpy.fft.{name}") for name in ("fft2", "fftn")],
    *[planes(f"numpy.fft.{name}", scale=1) for name in ("ifft2", "ifftn")],
    *[planes(f"numpy.fft.{name}", half=True) for name in ("rfft2", "rfftn")],
    *[planes(f"numpy.fft.{name}", back=True) for name in ("irfft2", "irfftn")],
    shifted("fftshift"),
    shifted("ifftshift"),
    *[
        array(
            f"scipy.fft.{name}",
            x,
            truth=truth,
            function=lambda x, name=name: public(f"scipy.fft.{name}")(cubes(x)),
        )
        for name, x, truth in [
            ("dct", V, lambda x: cosines(cubes(x))),
            ("idct", V, lambda x: from_cosines(cubes(x))),
            ("dctn", M, lambda x: cosines(cosines(cubes(x)).T).T),
            ("idctn", M, lambda x: from_cosines(from_cosines(cubes(x)).T).T),
        ]
    ],
)
