"""Questions about transforms, windows and contractions."""

from __future__ import annotations

from typing import Final

from conformance.parity.questions import COMPLEX, Drawer, Group, Question, call, filled

ONE: Final = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL: Final = ("fftn", "ifftn", "rfftn", "irfftn")
NORMS: Final = (None, "backward", "ortho", "forward")


def fourier(d: Drawer) -> list[Question]:
    """Transforms along one and several axes, with lengths and norms."""
    asked = []
    for dtype in ("bool", "int32", "float32", "complex64", *(("float64",) if d.x64 else ())):
        x = filled(3, (3, 4, 5), dtype, low=-3, high=3)
        for name in ONE:
            if dtype == "complex64" and name in ("rfft", "ihfft"):
                continue
            asked += [call(f"numpy.fft.{name}", x, n, 1, norm) for n in (None, 3) for norm in NORMS]
        for name in SEVERAL:
            if dtype == "complex64" and name == "rfftn":
                continue
            asked += [call(f"numpy.fft.{name}", x, norm=norm) for norm in NORMS]
            asked.append(call(f"numpy.fft.{name}", x, {"tuple": [4, 3]}, {"tuple": [2, 0]}))
            asked.append(call(f"numpy.fft.{name}", x, {"tuple": [2]}))
        asked += [call(f"numpy.fft.{name}", x) for name in ("fft2", "ifft2", "irfft2")]
        asked += [call(f"numpy.fft.{name}", x) for name in ("fftshift", "ifftshift")]
        asked += [
            call(f"numpy.fft.{name}", x, {"tuple": [0, 2]}) for name in ("fftshift", "ifftshift")
        ]
        if dtype != "bool":
            asked += [
                call(f"scipy.fft.{name}", x, norm=norm)
                for name in ("dct", "idct", "dctn", "idctn")
                for norm in (None, "ortho")
            ]
        asked.append(call("scipy.fft.dct", x, n=6, axis=0))
        asked.append(call("scipy.fft.idctn", x, s={"tuple": [3, 7]}))
    asked += [
        call(f"numpy.fft.{name}", n, d, **more)
        for name in ("fftfreq", "rfftfreq")
        for n in (1, 4, 5)
        for d in (1.0, 3, 0.5)
        for more in ({}, {"dtype": "float16"})
    ]
    empty = filled(3, (2, 0), "float32")
    asked += [call(f"numpy.fft.{name}", empty) for name in ("fft", "ifft", "irfft")]
    return asked


GROUPS: Final[dict[str, Group]] = {"fourier": fourier}


def wrong() -> list[Question]:
    """Calls that JAX refuses."""
    x, z = filled(1, (3, 4), "float32"), filled(1, (3, 4), "complex64")
    asked = [call(f"numpy.fft.{name}", z) for name in ("rfft", "ihfft", "rfftn", "rfft2")]
    for name in ONE:
        asked.append(call(f"numpy.fft.{name}", x, 0))
        asked.append(call(f"numpy.fft.{name}", x, -2))
        asked.append(call(f"numpy.fft.{name}", x, None, 2))
        asked.append(call(f"numpy.fft.{name}", x, norm="big"))
        asked.append(call(f"numpy.fft.{name}", 2.0))
    for name in SEVERAL:
        asked.append(call(f"numpy.fft.{name}", x, {"tuple": [3]}, {"tuple": [0, 1]}))
        asked.append(call(f"numpy.fft.{name}", x, axes={"tuple": [1, 1]}))
        asked.append(call(f"numpy.fft.{name}", x, axes={"tuple": [0, 2]}))
    asked.append(call("numpy.fft.fft2", x, axes={"tuple": [0]}))
    asked.append(call("numpy.fft.fftfreq", {"tuple": [3]}))
    asked.append(call("numpy.fft.fftfreq", 3, COMPLEX))
    asked += [call(f"scipy.fft.{name}", x, 3) for name in ("dct", "idct", "dctn", "idctn")]
    asked += [call(f"scipy.fft.{name}", x, norm="forward") for name in ("dct", "idct")]
    return asked
