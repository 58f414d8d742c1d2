"""Rows of `treadle.numpy`: functions of numbers."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp

import treadle.numpy as tnp
from conformance.derivatives.row import Row, scalar

TAIL: Final = 40.0  # e ** -40 is far below the rounding of 1


def log_of_powers(base: Any) -> Any:
    """`log(base ** x + base ** y)` to that base."""

    def truth(x: Any, y: Any) -> Any:
        return x + mp.log1p(mp.power(base, y - x)) / mp.log(base)

    return truth


def of_parts(name: str, part: Any) -> Any:
    """A function of a complex number as one of its parts, with a real result."""

    def function(x: Any, y: Any) -> Any:
        return part(getattr(tnp, name)(x + 1j * y))

    return function


TRIGONOMETRY: Final = (
    scalar("numpy.sin", mp.sin, 0.0, 1.0, 1e5),
    scalar("numpy.cos", mp.cos, 0.0, 1.0, 1e5),
    scalar("numpy.tan", mp.tan, 0.0, 1.0, 1.57),
    scalar("numpy.arcsin", mp.asin, 0.0, 0.5, -0.9, 1 - 1e-9),
    scalar("numpy.arccos", mp.acos, 0.0, 0.5, -0.9, 1 - 1e-9),
    scalar("numpy.arctan", mp.atan, 0.0, 1.0, -1e5, 1e20),
    scalar("numpy.sinh", mp.sinh, 0.0, 1.0, -TAIL),
    scalar("numpy.cosh", mp.cosh, 0.0, 1.0, -TAIL),
    scalar("numpy.tanh", mp.tanh, 0.0, 1.0, -3.0),
    scalar(
        "numpy.tanh", mp.tanh, TAIL, -TAIL, atol=1e-15, because="1 - y is lost where y rounds to 1"
    ),
    scalar("numpy.arcsinh", mp.asinh, 0.0, 1.0, -1e5, 1e20),
    scalar("numpy.arccosh", mp.acosh, 1.5, 1 + 1e-8, 1e20),
    scalar("numpy.arctanh", mp.atanh, 0.0, 0.5, -0.9, 1 - 1e-9),
    scalar(
        "numpy.arctan2",
        lambda y, x: mp.atan2(y, x),
        *(
            (1.0, 1.0),
            (0.0, 1.0),
            (1.0, 0.0),
            (-1.0, -0.5),
            (-2.0, 0.0),
            (1e-30, 1e-30),
            (1e20, 1e20),
        ),
        kinks=((0.0, 0.0),),
    ),
    scalar("numpy.deg2rad", mp.radians, 0.0, 2.0),
    scalar("numpy.rad2deg", mp.degrees, 0.0, 2.0),
    scalar("numpy.sinc", mp.sincpi, 0.0, 1e-9, 1e-4, 0.5, 1.0, -2.25, 30.0),
)
EXPONENTIALS: Final = (
    scalar("numpy.exp", mp.exp, 0.0, 1.0, -TAIL),
    scalar("numpy.exp2", lambda x: mp.power(2, x), 0.0, 3.0, -TAIL),
    scalar("numpy.expm1", mp.expm1, 0.0, 1e-9, -3.0, TAIL),
    scalar(
        "numpy.expm1", mp.expm1, -TAIL, atol=1e-15, because="y + 1 is lost where y rounds to -1"
    ),
    scalar("numpy.log", mp.log, 1.0, 1e-9, 1e20),
    scalar("numpy.log1p", mp.log1p, 0.0, 1e-9, -1 + 1e-9, 1e20),
    scalar("numpy.log2", lambda x: mp.log(x, 2), 1.0, 1e-9, 1e20),
    scalar("numpy.log10", mp.log10, 1.0, 1e-9, 1e20),
    scalar(
        "numpy.logaddexp",
        log_of_powers(mp.e),
        *((0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (3.0, -2.0), (1000.0, 1000.0), (-1000.0, -1000.5)),
    ),
    scalar(
        "numpy.logaddexp",
        log_of_powers(mp.e),
        *((0.0, TAIL), (TAIL, 0.0), (1000.0, 0.0)),
        atol=1e-15,
        because="1 - y is lost where the logistic function y rounds to 1",
    ),
    scalar(
        "numpy.logaddexp2",
        log_of_powers(2),
        *((0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (3.0, -2.0), (1000.0, 1000.0), (-1000.0, -1000.5)),
    ),
    scalar(
        "numpy.logaddexp2",
        log_of_powers(2),
        *((0.0, 60.0), (60.0, 0.0), (1000.0, 0.0)),
        atol=1e-15,
        because="1 - y is lost where the logistic function y rounds to 1",
    ),
)
POWERS: Final = (
    scalar("numpy.sqrt", mp.sqrt, 1.0, 1e-9, 1e20),
    scalar("numpy.cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), 8.0, -8.0, 1e-9, 1e20),
    scalar("numpy.square", lambda x: x * x, 0.0, -3.0),
    scalar("numpy.reciprocal", lambda x: 1 / x, 2.0, -0.1, 1e20),
    scalar(
        "numpy.power",
        mp.power,
        (2.0, 3.0),
        (1.0, 0.0),
        (2.0, 0.0),
        (0.5, -1.5),
        (1e-3, 1.0),
        (2.0, 1.0),
    ),
    *(
        scalar(
            "numpy.power",
            lambda x, n=n: x**n,
            0.0,
            2.0,
            -2.0,
            function=lambda x, n=n: tnp.power(x, n),
        )
        for n in (0, 1, 2, 3, 4, 5)
    ),
    *(
        scalar(
            "numpy.power",
            lambda x, n=n: x**n,
            0.0,
            2.0,
            -2.0,
            function=lambda x, n=n: tnp.power(x, float(n)),
        )
        for n in (0, 1, 2, 3, 4, 5)
    ),
    *(
        scalar(
            "numpy.power", lambda x, n=n: x**n, 2.0, -2.0, function=lambda x, n=n: tnp.power(x, n)
        )
        for n in (-1, -2, -1.0, -2.0)
    ),
    scalar(
        "numpy.power",
        lambda y: mp.power(3, y),
        0.0,
        2.0,
        -1.0,
        function=lambda y: tnp.power(3.0, y),
    ),
    scalar("numpy.power", lambda y: 0 * y, 2.0, 0.5, function=lambda y: tnp.power(0.0, y)),
    scalar(
        "numpy.float_power", mp.power, (2.0, 3.0), (1.0, 0.0), (2.0, 0.0), (0.5, -1.5), (1e-3, 1.0)
    ),
    scalar(
        "numpy.hypot",
        lambda x, y: mp.sqrt(x * x + y * y),
        *((3.0, 4.0), (1.0, 1.0), (-1.0, 1.0), (0.0, 2.0), (2.0, 0.0), (0.0, -2.0), (1e20, 1e20)),
        kinks=((0.0, 0.0),),
    ),
)
ARITHMETIC: Final = (
    scalar("numpy.add", lambda x, y: x + y, (0.0, 2.0)),
    scalar("numpy.subtract", lambda x, y: x - y, (0.0, 2.0)),
    scalar("numpy.multiply", lambda x, y: x * y, (0.0, 2.0), (0.0, 0.0), (3.0, -2.0)),
    scalar("numpy.divide", lambda x, y: x / y, (0.0, 2.0), (3.0, -2.0)),
    scalar("numpy.negative", lambda x: -x, 0.0, 2.0),
    scalar("numpy.positive", lambda x: x, 0.0, 2.0),
    scalar(
        "numpy.remainder",
        lambda x, y: x - y * mp.floor(x / y),
        (5.5, 2.0),
        (-5.5, 2.0),
        (5.5, -2.0),
    ),
    scalar("numpy.fmod", lambda x, y: x - y * int(x / y), (5.5, 2.0), (-5.5, 2.0), (5.5, -2.0)),
    scalar(
        "numpy.divmod",
        lambda x, y: [mp.floor(x / y), x - y * mp.floor(x / y)],
        (5.5, 2.0),
        (-5.5, 2.0),
    ),
    scalar("numpy.abs", abs, 2.0, -1e-9, kinks=(0.0,)),
    scalar("numpy.fabs", abs, 2.0, -1e-9, kinks=(0.0,)),
    scalar(
        "numpy.copysign", lambda x, y: abs(x) * mp.sign(y), (2.0, 1.0), (2.0, -1.0), (-3.0, 1.0)
    ),
    scalar("numpy.nextafter", lambda x, y: x, (2.0, 3.0), (2.0, 1.0)),
    scalar("numpy.heaviside", lambda x, y: mp.mpf(x > 0), (2.0, 0.5), (-2.0, 0.5)),
    scalar("numpy.maximum", max, (2.0, 3.0), (3.0, 2.0), (-1.0, 0.0), kinks=((1.0, 1.0),)),
    scalar("numpy.minimum", min, (2.0, 3.0), (3.0, 2.0), (-1.0, 0.0), kinks=((1.0, 1.0),)),
    scalar("numpy.fmax", max, (2.0, 3.0), (3.0, 2.0), (-1.0, 0.0)),
    scalar("numpy.fmin", min, (2.0, 3.0), (3.0, 2.0), (-1.0, 0.0)),
    scalar(
        "numpy.clip",
        lambda x, low, high: min(max(x, low), high),
        *((0.5, 0.0, 1.0), (-2.0, 0.0, 1.0), (3.0, 0.0, 1.0)),
        kinks=((0.0, 0.0, 1.0), (1.0, 0.0, 1.0)),
    ),
    scalar("numpy.nan_to_num", lambda x: x, 0.0, 2.0),
    scalar("numpy.astype", lambda x: x, 2.0, function=lambda x: tnp.astype(x, tnp.float64)),
    scalar("numpy.copy", lambda x: x, 2.0),
    scalar("numpy.float64", lambda x: x, 2.0),
    scalar(
        "numpy.where",
        lambda x, y: x * x * y,
        (0.0, 3.0),
        (2.0, 3.0),
        function=lambda x, y: tnp.where(x > 100.0, y, x * x * y),
    ),
    scalar(
        "numpy.select",
        lambda x, y: x * x * y,
        (0.0, 3.0),
        (2.0, 3.0),
        function=lambda x, y: tnp.select([x > 100.0, x < 50.0], [y, x * x * y], 0.0),
    ),
    scalar(
        "numpy.piecewise",
        lambda x, y: x * x * y,
        (0.0, 3.0),
        (2.0, 3.0),
        function=lambda x, y: tnp.piecewise(x, [x > 100.0, x < 50.0], [y, lambda z: z * z * y]),
    ),
)
COMPLEX: Final = (
    scalar(
        "numpy.real",
        lambda x, y: x * x - y * y,
        (0.0, 0.0),
        (1.0, 2.0),
        function=lambda x, y: tnp.real((x + 1j * y) ** 2),
    ),
    scalar(
        "numpy.imag",
        lambda x, y: 2 * x * y,
        (0.0, 0.0),
        (1.0, 2.0),
        function=lambda x, y: tnp.imag((x + 1j * y) ** 2),
    ),
    scalar(
        "numpy.conjugate",
        lambda x, y: -2 * x * y,
        (0.0, 0.0),
        (1.0, 2.0),
        function=lambda x, y: tnp.imag(tnp.conjugate((x + 1j * y) ** 2)),
    ),
    scalar(
        "numpy.angle",
        lambda x, y: mp.atan2(y, x),
        (1.0, 0.0),
        (0.0, 1.0),
        (-1.0, -2.0),
        function=of_parts("angle", tnp.asarray),
    ),
    scalar(
        "numpy.abs",
        lambda x, y: mp.sqrt(x * x + y * y),
        (3.0, 4.0),
        (0.0, 1.0),
        (-2.0, 0.0),
        function=of_parts("abs", tnp.asarray),
    ),
    scalar(
        "numpy.sign",
        lambda x, y: x / mp.sqrt(x * x + y * y),
        (3.0, 4.0),
        (0.0, 1.0),
        (-2.0, 0.0),
        function=of_parts("sign", tnp.real),
    ),
    *(
        scalar(
            f"numpy.{name}",
            lambda x, y, truth=truth: mp.re(truth(mp.mpc(x, y))),
            (0.5, 0.75),
            (-0.5, -1.5),
            function=of_parts(name, tnp.real),
        )
        for name, truth in {
            **{
                name: getattr(mp, name)
                for name in ("exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tan")
            },
            **{name: getattr(mp, name) for name in ("sinh", "cosh", "tanh")},
            **{
                f"arc{name}": getattr(mp, f"a{name}")
                for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
            },
            "square": lambda z: z * z,
            "reciprocal": lambda z: 1 / z,
            "exp2": lambda z: mp.power(2, z),
            "log2": lambda z: mp.log(z) / mp.log(2),
            "log10": lambda z: mp.log(z) / mp.log(10),
            "sinc": mp.sincpi,
        }.items()
    ),
    scalar(
        "numpy.power",
        lambda x, y: mp.re(mp.power(mp.mpc(x, y), mp.mpc(y, x))),
        (0.5, 0.75),
        (-0.5, -1.5),
        function=lambda x, y: tnp.real(tnp.power(x + 1j * y, y + 1j * x)),
    ),
    scalar(
        "numpy.logaddexp",
        lambda x, y: mp.re(mp.log(mp.exp(mp.mpc(x, y)) + mp.exp(mp.mpc(y, x)))),
        (0.5, 0.75),
        (1.0, 1.0),
        function=lambda x, y: tnp.real(tnp.logaddexp(x + 1j * y, y + 1j * x)),
    ),
)
ROWS: Final[tuple[Row, ...]] = (*TRIGONOMETRY, *EXPONENTIALS, *POWERS, *ARITHMETIC, *COMPLEX)
