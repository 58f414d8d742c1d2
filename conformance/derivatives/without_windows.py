"""Functions of the fourier, window and contraction families that have no row."""

from __future__ import annotations

from typing import Final

from conformance.derivatives.without import INTEGERS, NUMBERS


def _lax(names: str, reason: str) -> dict[str, str]:
    return {f"lax.{name}": reason for name in names.split()}


WITHOUT: Final[dict[str, str]] = {
    **dict.fromkeys(["numpy.fft.fftfreq", "numpy.fft.rfftfreq"], NUMBERS),
    **dict.fromkeys(
        [f"numpy.{name}" for name in ("bartlett", "blackman", "hamming", "hanning")], NUMBERS
    ),
    **_lax("empty", NUMBERS),
    **_lax("rng_uniform", "it raises: there is no such generator"),
    **_lax(
        "conv_general_permutations conv_general_shape_tuple conv_shape_tuple conv_transpose_shape_tuple mulhi "
        "reduce_window_shape_tuple rng_bit_generator shape_as_value",
        INTEGERS,
    ),
}
