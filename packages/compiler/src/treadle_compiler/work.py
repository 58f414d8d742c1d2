"""Which operations XLA:CPU takes for so cheap that it repeats them, and how long a chain of them is.

The length of the longest chain stands for the number of operations, which many ways through few would exceed.
"""

from __future__ import annotations

from typing import Final

MOST_WORK: Final = 16  # operations, one after the other, that may be repeated for an element

_WORTH: Final = {
    1: """
        abs add and bitcast_convert ceil clamp compare complex convert count_leading_zeros floor imag is_finite maximum
        minimum multiply negate not or popcnt real reduce_precision round_nearest_afz round_nearest_even select
        shift_left shift_right_arithmetic shift_right_logical sign subtract xor
    """,
    # of themselves; what they move is computed again
    0: "broadcast_in_dim concatenate dynamic_slice pad reshape reverse slice transpose",
    MOST_WORK: "cosine sine tan",
}

WORK: Final[dict[str, int]] = {
    f"stablehlo.{name}": worth for worth, names in _WORTH.items() for name in names.split()
} | dict.fromkeys(
    [
        "func.call",  # whose body is put in place
        "chlo.digamma",
        "chlo.erf",
        "chlo.erf_inv",
        "chlo.erfc",
        "chlo.lgamma",
        "chlo.next_after",
        "chlo.sinh",
    ],
    MOST_WORK,
)
"""By the name of an operation; one that is not here is computed once."""
