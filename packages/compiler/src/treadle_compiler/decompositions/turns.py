"""1 / (2 pi) in parts, for the angle of a float32 in turns.

Source: M. Payne and R. Hanek, Radian reduction for trigonometric functions, SIGNUM 18 (1983).
"""

from __future__ import annotations

from typing import Final

# 1 / (2 pi), of which for x >= 2^60 and x >= 2^97 (whole multiples of 2^37 and 2^74) the bits are left out that add
# whole turns only. The first two parts have 29 bits, so that their products with the 24 bits of an f32 are exact.
TURNS: Final[tuple[tuple[float, ...], ...]] = tuple(
    tuple(float.fromhex(part) for part in parts)
    for parts in (
        ("0x1.45f306ep-3", "-0x1.b1bbeacp-34", "-0x1.603d8a82e0acbp-62"),
        ("0x1.c882a54p-39", "-0x1.ec54170p-73", "-0x1.596447e493ad5p-103"),
        ("0x1.3abe8fap-77", "0x1.34ddc0ep-106", "-0x1.275a99b0ef1bfp-136"),
    )
)
FAR_ANGLES: Final = (2.0**60, 2.0**97)
