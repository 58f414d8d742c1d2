"""The methods of resizing, and the kernel that each weighs pixels by: a function of the distance in pixels.

Sources: triangle, and Lanczos' windowed sinc: Turkowski, "Filters for Common Resampling Tasks" (1990). Cubic: Keys,
"Cubic convolution interpolation for digital image processing" (1981), with the parameter -1/2, or -3/4.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from treadle_ir import ArgumentError, Array
from treadle_ir.errors import names, shown
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply, subtract
from treadle_numpy.numpy.ufuncs.cardinal import sinc
from treadle_numpy.numpy.ufuncs.extremes import maximum
from treadle_numpy.numpy.ufuncs.logic import less, less_equal

__all__ = ["ResizeMethod"]

Kernel: TypeAlias = Callable[[Array], Array]


class ResizeMethod(enum.Enum):
    """How pixels are weighed.

    Example:
        >>> ResizeMethod.from_string("bilinear")
        <ResizeMethod.LINEAR: 1>
    """

    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4
    CUBIC_PYTORCH = 5
    AREA = 6

    @staticmethod
    def from_string(s: str) -> ResizeMethod:
        """Return the method of a name.

        Raises:
            ArgumentError: there is no such method.
        """
        names("resize", method=s)
        found = _NAMES.get(s)
        if found is None:
            raise ArgumentError(
                f"resize: there is no method {shown(s)}", fix=f"methods are {', '.join(_NAMES)}"
            )
        return found


Method: TypeAlias = str | ResizeMethod
_NAMES: Final = {
    "nearest": ResizeMethod.NEAREST,
    **dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), ResizeMethod.LINEAR),
    "lanczos3": ResizeMethod.LANCZOS3,
    "lanczos5": ResizeMethod.LANCZOS5,
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), ResizeMethod.CUBIC),
    **dict.fromkeys(("cubic-pytorch", "bicubic-pytorch"), ResizeMethod.CUBIC_PYTORCH),
    "area": ResizeMethod.AREA,
}


def as_method(method: Method) -> ResizeMethod:
    """Return a method, or what its name means."""
    return method if isinstance(method, ResizeMethod) else ResizeMethod.from_string(method)


def _triangle(x: Array) -> Array:
    return maximum(0, subtract(1, x))


def _lanczos(radius: float, x: Array) -> Array:
    windowed = multiply(sinc(x), sinc(multiply(x, 1 / radius)))
    return where(less(x, radius), windowed, 0)


def _cubic(a: float, x: Array) -> Array:
    near = add(multiply(multiply(subtract(multiply(x, a + 2), a + 3), x), x), 1)
    far = multiply(a, subtract(multiply(add(multiply(subtract(x, 5), x), 8), x), 4))
    return where(less_equal(x, 1), near, where(less(x, 2), far, 0))


KERNELS: Final[dict[ResizeMethod, Kernel]] = {
    ResizeMethod.LINEAR: _triangle,
    ResizeMethod.LANCZOS3: partial(_lanczos, 3.0),
    ResizeMethod.LANCZOS5: partial(_lanczos, 5.0),
    ResizeMethod.CUBIC: partial(_cubic, -0.5),
    ResizeMethod.CUBIC_PYTORCH: partial(_cubic, -0.75),
}
