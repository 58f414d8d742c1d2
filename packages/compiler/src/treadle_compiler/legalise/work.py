"""Which operations XLA:CPU takes for so cheap that it repeats them, and what each is worth.

What is not here, such as exponentials, divisions, reductions and products of matrices, it computes once of itself.
"""

from __future__ import annotations

from typing import Final

from treadle_ir import Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.call import CheckpointName, StopGradient
from treadle_ir.primitives.compare import Clamp, Compare, Select
from treadle_ir.primitives.convert import BitcastConvert, Convert, Copy, ReducePrecision

_LIGHT: Final[tuple[type[Primitive], ...]] = (
    *(
        e.Abs,
        e.Add,
        e.And,
        e.Ceil,
        e.Complex,
        e.Conjugate,
        e.CountLeadingZeros,
        e.Floor,
        e.Imag,
        e.IsFinite,
        e.Maximum,
    ),
    *(
        e.Minimum,
        e.Multiply,
        e.Negate,
        e.Not,
        e.Or,
        e.Popcnt,
        e.Real,
        e.RoundNearestAfz,
        e.RoundNearestEven,
    ),
    *(
        e.ShiftLeft,
        e.ShiftRightArithmetic,
        e.ShiftRightLogical,
        e.Sign,
        e.Square,
        e.Subtract,
        e.Xor,
    ),
    *(
        BitcastConvert,
        Clamp,
        Compare,
        Convert,
        Copy,
        ReducePrecision,
        Select,
        StopGradient,
        CheckpointName,
    ),
)

WORK: Final[dict[str, int]] = {
    **dict.fromkeys([cls.name for cls in _LIGHT], 1),
    e.IntegerPower.name: 3,
    e.Digamma.name: 8,
    e.Erf.name: 8,
    e.Erfc.name: 8,
    e.Lgamma.name: 8,
    e.NextAfter.name: 8,
    e.Sinh.name: 8,
    e.BesselI0e.name: 16,
    e.BesselI1e.name: 16,
    e.ErfInv.name: 16,
    "random_bits": 96,
    "threefry2x32": 96,
    e.Cosine.name: 128,
    e.Sine.name: 128,
    e.Tan.name: 512,
}
"""By the mnemonic of a primitive; None is repeated that is not here.

Measured with a million f32 of jaxlib 0.10.2; a multiplication and an addition of a long chain take 17 ps each."""
