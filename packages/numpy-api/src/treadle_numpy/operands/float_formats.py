"""How the bits of floats are divided, for functions that read and make them."""

from __future__ import annotations

from typing import Final, NamedTuple

from treadle_ir import DType
from treadle_ir.core.dtypes import BY_NAME


class Format(NamedTuple):
    """A binary format of IEEE 754: the integers of its width, and how its bits are divided."""

    bits: DType
    stored: int  # bits of the mantissa, without the leading one
    bias: int  # of the exponent


F32: Final = BY_NAME["f32"]
F64: Final = BY_NAME["f64"]
# Narrower types are computed in float32.
FORMATS: Final = {F32: Format(BY_NAME["i32"], 23, 127), F64: Format(BY_NAME["i64"], 52, 1023)}
