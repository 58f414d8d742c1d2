"""Arrays of other libraries whose elements are in the memory of an accelerator."""

from __future__ import annotations

from typing import Final

from treadle_ir import Array, UnsupportedError
from treadle_ir.tracing import current_evaluator

_HOST: Final = (1, 3)  # DLPack's kDLCPU and kDLCUDAHost


def adopted(function: str, x: object) -> Array | None:
    """Return an array in the memory of an accelerator where `x` has its elements; None where the host has them.

    Raises:
        UnsupportedError: nothing here can reach them.
    """
    ask = getattr(type(x), "__dlpack_device__", None)
    if ask is None:
        return None
    kind, number = map(int, ask(x))
    if kind in _HOST:
        return None
    made = current_evaluator().adopted(x, kind, number)
    if made is None:
        raise UnsupportedError(
            f"{function}: the elements are on a device of DLPack's kind {kind}, not in the memory of the CPU or of an "
            "NVIDIA GPU",
            fix="bring them to the CPU first, in the library that they come from",
        )
    return made
