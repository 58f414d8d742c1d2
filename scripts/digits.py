"""Which numbers of an expected text depend on the processor that printed them.

The last digits of a transcendental function are not the same on all processors: NumPy and XLA have other code for
each. An expected text therefore shows no more than six digits of a number, unless the number is exact by its
nature, like a power of two and the neighbour of 1.0.
"""

from __future__ import annotations

import re

import numpy as np

DIGITS = 6
NUMBER = re.compile(r"(?<![\w.])\d+\.\d*(?:e[+-]?\d+)?(?![\w.])")


def beyond(text: str) -> list[str]:
    """Return the numbers of a text that show more digits than every processor prints alike."""
    return [each for each in NUMBER.findall(text) if digits(each) > DIGITS and not exact(each)]


def digits(number: str) -> int:
    """Return how many significant digits it is written with."""
    return len(number.partition("e")[0].replace(".", "").strip("0"))


def exact(number: str) -> bool:
    """Return whether it is a power of two, or a sum of two, which no rounding of a function's makes."""
    fraction = int(np.float32(number).view(np.uint32)) & 0x7FFFFF
    return fraction.bit_count() < 2
