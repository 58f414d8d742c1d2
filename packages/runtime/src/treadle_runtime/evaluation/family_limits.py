"""The size up to which eager operations run on NumPy on the CPU, for each family of primitives.

NumPy does not compile (which takes 15 to 100 ms for each new shape), and its single operations are as fast as XLA's,
which gains by fusion; so the limits are high for operations with a single NumPy loop, and low for kernels with many
passes. Measured time of NumPy relative to XLA (compiled already) for f32, on two shared cores:

    elements     1e3    1.6e4    1.3e5    1e6          elements        1e3    1.6e4    1.3e5    1e6
    add          0.1    0.1      0.2      0.1          sum             0.1    0.1      0.4      1.6
    exp          0.3    0.6      0.6      0.9          argmax          0.1    0.1      0.1      0.1
    sin          0.3    0.1      0.3      0.6          dot (square)    0.1    0.7      0.9      1.8
    logistic     0.1    0.3      0.6      1.2          transpose       0.3    0.1      0.0      0.0
    power        0.2    0.1      0.1      0.2          add, bf16       0.1    0.8      1.6      4.9
    compare      0.1    0.1      0.1      0.4          erf             14     77       220      190
    fft          1.0    5.9      2.0      2.3          rfft            0.6    1.0      1.1      2.3
"""

from __future__ import annotations

from typing import Final

from treadle_ir import Elementwise, Primitive
from treadle_ir.core import (
    Accumulating,
    Contraction,
    Conversion,
    Creation,
    Indexing,
    LinearAlgebra,
    Randomness,
    Rearrangement,
    Reducing,
    Sorting,
    Windowing,
)
from treadle_ir.primitives import compare as c, elementwise as e, linear_algebra as la, reduce as r
from treadle_ir.primitives.call import OptimizationBarrier
from treadle_ir.primitives.convert import ReducePrecision
from treadle_ir.primitives.fourier import Fft
from treadle_ir.primitives.indexing.dynamic import DynamicSlice
from treadle_ir.primitives.sort import TopK
from treadle_runtime.evaluation.limits import ANY_SIZE, host_limits

_LIMITS: Final[dict[type[Primitive], int]] = {
    Elementwise: 1 << 20,
    Conversion: 1 << 19,  # floats become integers in several passes
    Rearrangement: 1 << 22,
    Creation: 1 << 22,
    OptimizationBarrier: 1 << 21,
    Indexing: 1 << 17,
    DynamicSlice: 1 << 22,  # copies its result only, however large the array is
    Reducing: 1 << 20,
    Windowing: 1 << 13,
    Accumulating: ANY_SIZE,  # XLA's are 3 to 10 times slower at any size
    Sorting: ANY_SIZE,  # XLA's are 10 to 100 times slower
    TopK: 1 << 13,  # NumPy sorts all; XLA looks for the few: 60 times as fast for 10 of a million
    Contraction: 1 << 17,
    LinearAlgebra: 1 << 12,
    # Without a NumPy routine, a kernel is a Python loop over the batch: 8 times as slow as XLA for 8 matrices. Single
    # matrices use LAPACK (`lapack.py`).
    **dict.fromkeys(
        (
            la.Lu,
            la.Hessenberg,
            la.Tridiagonal,
            la.TriangularSolve,
            la.TridiagonalSolve,
            la.Schur,
            la.HouseholderProduct,
            la.HouseholderMultiply,
        ),
        1 << 6,
    ),
    Randomness: 1 << 13,
    # Special functions, which NumPy lacks: a kernel makes many passes.
    e.Digamma: 1 << 12,
    e.Erf: 1 << 12,
    e.ErfInv: 1 << 12,
    e.Erfc: 1 << 12,
    e.GreatestCommonDivisor: 1 << 14,  # element by element; XLA vectorises it
    e.Lgamma: 1 << 12,
    e.NextAfter: 1 << 12,
    # NumPy's loops for these are not vectorised, or make several passes: 3 to 10 times as slow as XLA for a million
    # elements.
    **dict.fromkeys(
        (
            c.Select,
            c.Clamp,
            e.Maximum,
            e.Minimum,
            e.CountLeadingZeros,
            e.Popcnt,
            e.RoundNearestAfz,
            e.Acosh,
            e.Complex,
            e.Logistic,
            e.ShiftLeft,
            e.ShiftRightArithmetic,
            e.ShiftRightLogical,
            e.Sign,
            r.ReduceMultiply,
            r.ReduceXor,
        ),
        1 << 17,
    ),
    ReducePrecision: 1 << 15,  # some ten passes
    r.ReduceAdd: 1 << 18,  # XLA's uses all cores
    # Formulas of many steps, which take XLA a second to compile.
    **dict.fromkeys([*e.WITH_FORMULA, e.FormulaDerivative], 1 << 14),
    Fft: 1 << 13,
}
for _family, _limit in _LIMITS.items():
    host_limits.register(_family, _limit)
