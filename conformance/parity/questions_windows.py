"""Questions about transforms, windows and contractions."""

from __future__ import annotations

from typing import Any, Final

from conformance.parity.questions import COMPLEX, Drawer, Group, Question, call, filled

ONE: Final = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL: Final = ("fftn", "ifftn", "rfftn", "irfftn")
NORMS: Final = (None, "backward", "ortho", "forward")
FREQUENCY_TYPES: Final[tuple[dict[str, Any], ...]] = ({}, {"dtype": "float16"})


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
        for more in FREQUENCY_TYPES
    ]
    empty = filled(3, (2, 0), "float32")
    asked += [call(f"numpy.fft.{name}", empty) for name in ("fft", "ifft", "irfft")]
    return asked


IMAGE: Final = filled(5, (1, 5, 6, 3), "float32", low=-2, high=2)
KERNEL: Final = filled(6, (3, 2, 3, 4), "float32", low=-2, high=2)
NHWC: Final = {"tuple": ["NHWC", "HWIO", "NHWC"]}


def tuples(*values: object) -> object:
    """Nested tuples."""
    return {"tuple": [tuples(*each) if isinstance(each, tuple) else each for each in values]}


def convolutions(d: Drawer) -> list[Question]:
    """Transposed and local convolutions, and patches."""
    asked = []
    paddings = ("SAME", "VALID", tuples((1, 1), (0, 2)))
    for padding in paddings:
        for strides in (tuples(1, 1), tuples(2, 3), tuples(3, 1)):
            for more in (
                {},
                {"rhs_dilation": tuples(2, 1)},
                {"use_consistent_padding": True},
                {"rhs_dilation": tuples(1, 2), "use_consistent_padding": True},
            ):
                asked.append(call("lax.conv_transpose", IMAGE, KERNEL, strides, padding, **more))
            asked.append(
                call(
                    "lax.conv_transpose",
                    filled(7, (1, 5, 6, 4), "float32"),
                    KERNEL,
                    strides,
                    padding,
                    transpose_kernel=True,
                )
            )
            for letters in (("NHWC", "HWIO", "NHWC"), ("NWHC", "WIHO", "CNWH")):
                asked.append(
                    call(
                        "lax.conv_general_dilated_patches",
                        IMAGE,
                        tuples(2, 3),
                        strides,
                        padding,
                        dimension_numbers=tuples(*letters),
                    )
                )
    asked.append(
        call(
            "lax.conv_general_dilated_local",
            IMAGE,
            filled(8, (4, 4, 18, 2), "float32"),
            tuples(1, 1),
            "VALID",
            tuples(2, 3),
            dimension_numbers=NHWC,
        )
    )
    asked.append(call("lax.conv_general_permutations", NHWC))
    return asked


def compounds(d: Drawer) -> list[Question]:
    """Functions of several instructions, and other shapes of arrays."""
    asked = []
    for dtype in (
        "int8",
        "uint8",
        "int16",
        "int32",
        "uint32",
        *(("int64", "uint64") if d.x64 else ()),
    ):
        x, y = [
            filled(seed, (40,), dtype, low=0 if dtype[0] == "u" else -99, high=99)
            for seed in (1, 2)
        ]
        asked.append(call("lax.mulhi", x, y))
    x = filled(3, (3, 4), "float32", low=-3, high=3)
    asked += [call("lax.broadcast_to_rank", x, rank) for rank in (0, 2, 4)]
    asked += [call("lax.broadcast_like", each, x) for each in (filled(4, (4,), "int32"), 2.0)]
    asked += [call("lax.fft", x, kind, tuples(4)) for kind in ("fft", "IFFT", "rfft")]
    asked += [call("lax.fft", x, "irfft", tuples(n)) for n in (6, 7)]
    asked += [call(f"lax.approx_{end}_k", x, 2, axis) for end in ("max", "min") for axis in (0, -1)]
    asked += [call(f"numpy.{name}", n) for name in WINDOWS for n in (0, 1, 2, 9)]
    words = filled(11, (4,), "uint32", low=0, high=2**31)
    for shape in SHAPES:
        asked += [
            call("lax.rng_bit_generator", words, tuples(*shape), dtype, 1)
            for dtype in ("uint8", "uint16", "uint32", *(("uint64",) if d.x64 else ()))
        ]
    rows, matrices = filled(12, (6, 3), "float32"), filled(13, (4, 3, 2), "float32")
    asked += [
        call("lax.ragged_dot", rows, matrices, {"array": sizes, "dtype": "int32"})
        for sizes in ([1, 2, 0, 3], [0, 0, 5, 7], [1, 1, 1, 1])
    ]
    asked += [call("numpy.kaiser", n, beta) for n in (1, 6) for beta in (2, 8.5)]
    asked.append(call("lax.stage", 2))
    asked.append(call("lax.empty", tuples(0, 2), "int8"))
    return asked


SHAPES: Final = (
    (),
    (1,),
    (7,),
    (8,),
    (2, 3),
    (3, 2),
    (3, 5),
    (1, 5),
    (5, 3),
    (0, 3),
    (1, 1, 3),
    (3, 3, 4),
)
WINDOWS: Final = ("bartlett", "blackman", "hamming", "hanning")
GROUPS: Final[dict[str, Group]] = {
    "fourier": fourier,
    "convolutions": convolutions,
    "compounds": compounds,
}


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
    asked += [
        call("lax.mulhi", 1.0, 2.0),
        call("lax.mulhi", filled(1, (2,), "int8"), filled(1, (3,), "int8")),
    ]
    asked += [call("lax.broadcast_like", x, filled(1, (2,), "int8"))]
    asked += [call("lax.fft", x, "dft", tuples(4)), call("lax.fft", z, "rfft", tuples(4))]
    asked += [call("lax.fft", x, "fft", tuples(5)), call("lax.fft", x, "fft", 4)]
    asked += [call("lax.approx_max_k", x, 9), call("lax.approx_max_k", filled(1, (3,), "int32"), 1)]
    asked.append(call("lax.conv_transpose", IMAGE, KERNEL, tuples(1), "SAME"))
    asked.append(call("lax.conv_transpose", IMAGE, KERNEL, tuples(1, 1), "FULL"))
    asked.append(call("lax.conv_general_permutations", tuples("NHWC", "HWIO", "NHWX")))
    asked += [call(f"numpy.{name}", -2) for name in WINDOWS]
    return asked
