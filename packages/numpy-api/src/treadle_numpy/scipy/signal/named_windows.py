"""Windows by their names, periodic: what weighs the samples of a segment before its Fourier transform.

Formulas: Harris, Proc. IEEE 66 (1978) 51; Nuttall, IEEE Trans. ASSP 29 (1981) 84; the flat top of D'Antona and
Ferrero, Digital Signal Processing for Measurement Systems (2006).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from treadle_ir import ArgumentError, ShapeError
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import number, shown
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.coerce import host_elements, is_array_like
from treadle_numpy.operands.sequences import array_from

# A window at places from -1 to 1, of n points from end to end; Any: and its parameters.
_Window = Callable[..., Any]


def _cosines(*weights: float) -> _Window:
    """Return a sum of cosines, each of which has its greatest value in the middle."""

    def window(t: Elements, _: int) -> Any:
        return sum([a * np.cos(np.pi * k * t) for k, a in enumerate(weights)])

    return window


def _tukey(t: Elements, _: int, alpha: float = 0.5) -> Any:
    if alpha <= 0:
        return np.ones_like(t)
    outside = np.maximum(np.abs(t) - (1 - min(alpha, 1)), 0) / min(alpha, 1)
    return 0.5 + 0.5 * np.cos(np.pi * outside)


def _parzen(t: Elements, n: int) -> Any:
    u = np.abs(t) * (n - 1) / n
    return np.where(u <= 0.5, 1 - 6 * u**2 * (1 - u), 2 * (1 - u) ** 3)


def _triangle(t: Elements, n: int) -> Any:
    return 1 - np.abs(t) * (n - 1) / (n + n % 2)


_PLAIN: Final[Mapping[str, _Window]] = MappingProxyType(
    {
        "boxcar": _cosines(1.0),
        "hann": _cosines(0.5, 0.5),
        "hamming": _cosines(0.54, 0.46),
        "blackman": _cosines(0.42, 0.5, 0.08),
        "nuttall": _cosines(0.3635819, 0.4891775, 0.1365995, 0.0106411),
        "blackmanharris": _cosines(0.35875, 0.48829, 0.14128, 0.01168),
        "flattop": _cosines(0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
        "bartlett": lambda t, _: 1 - np.abs(t),
        "triang": _triangle,
        "parzen": _parzen,
        "bohman": lambda t, _: (
            (1 - np.abs(t)) * np.cos(np.pi * np.abs(t)) + np.sin(np.pi * np.abs(t)) / np.pi
        ),
        "cosine": lambda t, n: np.cos(np.pi / 2 * t * (n - 1) / n),
        "tukey": _tukey,
    }
)
_WITH_PARAMETERS: Final[Mapping[str, _Window]] = MappingProxyType(
    {
        "kaiser": lambda t, _, beta: np.i0(beta * np.sqrt(np.maximum(1 - t**2, 0))) / np.i0(beta),
        "gaussian": lambda t, n, std: np.exp(-0.5 * (t * (n - 1) / 2 / std) ** 2),
        "general_gaussian": lambda t, n, p, sig: np.exp(
            -0.5 * np.abs(t * (n - 1) / 2 / sig) ** (2 * p)
        ),
        "general_hamming": lambda t, _, a: a + (1 - a) * np.cos(np.pi * t),
        "tukey": _tukey,
    }
)
_OTHERS: Final = MappingProxyType({"hanning": "hann", "rectangular": "boxcar", "ones": "boxcar"})
_COUNTS: Final = MappingProxyType(
    {"kaiser": 1, "gaussian": 1, "general_gaussian": 2, "general_hamming": 1, "tukey": 1}
)


def as_window(function: str, window: object, nperseg: int | None, most: int) -> tuple[Any, int]:
    """Return the elements of a window and their number.

    Args:
        function: whose argument it is.
        window: a name; a tuple of a name and parameters; or a vector.
        nperseg: the length of a segment, if it was given.
        most: the length of the signal, which a named window is not longer than.

    Raises:
        ArgumentError: there is no such window, or the length is not the vector's.
        ShapeError: it is not a vector.
    """
    if isinstance(window, (str, tuple)):
        count = min(256 if nperseg is None else nperseg, most)
        return _named(function, window, count), count
    if not is_array_like(window) and not isinstance(window, list):
        raise ArgumentError(
            f"{function}: window must be a name, a tuple of a name and parameters, or a vector, got {shown(window)}"
        )
    given = array_from(function, window, None)
    if given.ndim != 1 or not given.size or is_complex(given.dtype):
        raise ShapeError(
            f"{function}: window must be a vector of real numbers, got shape {given.shape}, {given.dtype}"
        )
    if given.size > most:
        raise ShapeError(
            f"{function}: window has {given.size} elements, but the signal {most}",
            fix="give a shorter window",
        )
    if nperseg is not None and nperseg != given.size:
        raise ArgumentError(
            f"{function}: nperseg is {nperseg}, but window has {given.size} elements",
            fix="leave nperseg out",
        )
    known = host_elements(given)
    return given if known is None else known, given.size


def _named(function: str, window: str | tuple[Any, ...], count: int) -> Any:
    """Return a named window of so many points: the first ones of a symmetric window of one more."""
    name, *given = (window,) if isinstance(window, str) else window or ("",)
    name = _OTHERS.get(name, name) if isinstance(name, str) else ""
    table = _WITH_PARAMETERS if given else _PLAIN
    if name not in table or (given and len(given) != _COUNTS[name]):
        raise ArgumentError(
            f"{function}: there is no window {shown(window)}",
            fix=f"windows are {', '.join(_PLAIN)}; with parameters, in a tuple, {', '.join(_WITH_PARAMETERS)}",
        )
    parameters = [number(function, f"the parameter of window {name!r}", each) for each in given]
    if count <= 1:
        return np.ones(count)
    t = (2 * np.arange(count) - count) / count
    return np.asarray(table[name](t, count + 1, *parameters), np.float64)
