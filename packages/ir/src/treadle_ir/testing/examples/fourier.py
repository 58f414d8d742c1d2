"""Examples of Fourier transforms."""

from __future__ import annotations

from typing import Final

from treadle_ir.primitives.fourier import Fft
from treadle_ir.testing.examples import Example, example

EXAMPLES: Final[list[Example]] = [
    *[
        example(Fft(kind, lengths), types, label=kind)
        for kind in ("fft", "ifft")
        for lengths, types in [
            ((4,), "c64[4]"),
            ((5,), "c128[3,5]"),
            ((1,), "c64[2,1]"),
            ((0,), "c64[2,0]"),
            ((3,), "c64[0,3]"),
            ((2, 3), "c128[2,3]"),
            ((2, 1, 3), "c64[2,2,1,3]"),
            ((97,), "c128[97]"),
        ]
    ],
    *[
        example(Fft("rfft", lengths), types, label=f"rfft of {lengths}")
        for lengths, types in [
            ((4,), "f32[4]"),
            ((5,), "f64[3,5]"),
            ((1,), "f32[2,1]"),
            ((0,), "f32[2,0]"),
            ((3,), "f64[0,3]"),
            ((2,), "f64[2]"),
            ((3, 4), "f64[3,4]"),
            ((4, 5), "f32[2,4,5]"),
            ((2, 3, 4), "f64[2,3,4]"),
        ]
    ],
    *[
        example(Fft("irfft", lengths), types, label=f"irfft of {lengths}")
        for lengths, types in [
            ((4,), "c64[3]"),
            ((5,), "c128[2,3]"),
            ((1,), "c64[2,1]"),
            ((0,), "c64[2,0]"),
            ((3,), "c128[0,2]"),
            ((2,), "c128[2]"),
            ((3, 4), "c128[3,3]"),
            ((4, 5), "c64[2,4,3]"),
            ((2, 3, 5), "c128[2,3,3]"),
        ]
    ],
]
