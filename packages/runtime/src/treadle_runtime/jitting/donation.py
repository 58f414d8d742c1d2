"""Assignment of donated buffers to results, and the warning for unusable donations.

A result can reuse a buffer with the same shape and element type. Donated parameters are assigned in order, each to the
first matching result that does not have a buffer yet.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from treadle_compiler import element_type
from treadle_ir import ArrayType
from treadle_ir.errors import user_stacklevel


def pair(
    parameters: Sequence[ArrayType], results: Sequence[ArrayType], donated: Sequence[int]
) -> dict[int, int]:
    """Return the result that reuses the buffer of each parameter, by the index of the parameter."""
    free: dict[ArrayType, list[int]] = {}  # by type, the last one first
    for number in reversed(range(len(results))):
        free.setdefault(results[number].strong(), []).append(number)
    pairs: dict[int, int] = {}
    for index in donated:
        fitting = free.get(parameters[index].strong())
        if fitting:
            pairs[index] = fitting.pop()
    return pairs


def warn_unusable(types: Sequence[ArrayType]) -> None:
    """Warn of donated buffers that no result can reuse; they stay alive."""
    listed = ", ".join(map(hlo_text, types))
    warnings.warn(
        f"Some donated buffers were not usable: {listed}\n"
        "  what it means: no result has that shape and element type, so the memory is not reused; "
        "the arrays stay alive",
        UserWarning,
        stacklevel=user_stacklevel(),
    )


def hlo_text(type: ArrayType) -> str:
    """Return a type with its layout in XLA's notation: `f32[2,3]{1,0}`."""
    short = {"i1": "pred"}.get(element_type(type.dtype), element_type(type.dtype))
    if short[:1] == "i":
        short = "s" + short[1:]
    elif short[:2] == "ui":
        short = "u" + short[2:]
    elif short.startswith("complex"):
        short = "c64" if type.dtype.itemsize == 8 else "c128"
    shape = ",".join(map(str, type.shape))
    layout = ",".join(map(str, reversed(range(type.ndim))))
    return f"{short}[{shape}]{{{layout}}}" if type.shape else f"{short}[]"
