"""Public functions of what is composed of other functions without a row, each with the reason."""

from __future__ import annotations

from typing import Final

INTEGERS: Final = "its results are integers, booleans, or no arrays at all"
ELEMENTS: Final = "the size of its result depends on elements: there is nothing to trace"
MADE: Final = "made of what is not differentiated: bytes, texts, files"
FUNCTIONS: Final = "it makes functions, which have the derivatives of what they are made of"
CONSTANT: Final = "piecewise constant: its derivative is 0"

WITHOUT: Final[dict[str, str]] = {
    f"numpy.{name}": reason
    for reason, names in {
        INTEGERS: "__array_namespace_info__ gcd iterable lcm mask_indices packbits unpackbits",
        ELEMENTS: "setxor1d trim_zeros unique_all unique_counts unique_inverse unique_values",
        MADE: "frombuffer fromfile fromiter fromstring",
        CONSTANT: "spacing",
        FUNCTIONS: "frompyfunc vectorize",
    }.items()
    for name in names.split()
} | {"image.ResizeMethod": "an enumeration"}
