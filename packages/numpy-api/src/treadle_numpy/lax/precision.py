"""How exactly an accelerator multiplies, and how exactly functions are computed.

All that is asked for here is a lower bound: the CPU multiplies in the operands' own precision, and functions have one
accuracy each.
"""

from __future__ import annotations

import enum
import math
from typing import Final, NamedTuple, TypeAlias, final, get_args

from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.errors import shown
from treadle_ir.primitives.contract import Precision as PrecisionName
from treadle_ir.process import frozen
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.settings import MATMUL_PRECISION

__all__ = [
    "AccuracyMode",
    "DotAlgorithm",
    "DotAlgorithmPreset",
    "Precision",
    "PrecisionLike",
    "Tolerance",
]


class Precision(enum.Enum):
    """How exactly an accelerator multiplies at least; the CPU multiplies in the operands' own precision.

    Example:
        >>> Precision.HIGHEST
        <Precision.HIGHEST: 2>
    """

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2

    def __str__(self) -> str:
        return self.name


class DotAlgorithm(NamedTuple):
    """An algorithm of dot products by the types it computes in; here it asks for the highest precision.

    Example:
        >>> DotAlgorithm("float32", "float32", "float32").num_primitive_operations
        1
    """

    lhs_precision_type: DTypeLike
    rhs_precision_type: DTypeLike
    accumulation_type: DTypeLike
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


class DotAlgorithmPreset(enum.Enum):
    """An algorithm of dot products by name: types of the operands, of the sum, and how many products of parts.

    Algorithms with 8-bit floats exist on accelerators only, and are refused here.

    Example:
        >>> print(DotAlgorithmPreset.BF16_BF16_F32)
        BF16_BF16_F32
    """

    DEFAULT = 1
    ANY_F8_ANY_F8_F32 = 2
    ANY_F8_ANY_F8_F32_FAST_ACCUM = 3
    ANY_F8_ANY_F8_ANY = 4
    ANY_F8_ANY_F8_ANY_FAST_ACCUM = 5
    F16_F16_F16 = 6
    F16_F16_F32 = 7
    BF16_BF16_BF16 = 8
    BF16_BF16_F32 = 9
    BF16_BF16_F32_X3 = 10
    BF16_BF16_F32_X6 = 11
    BF16_BF16_F32_X9 = 12
    TF32_TF32_F32 = 13
    TF32_TF32_F32_X3 = 14
    F32_F32_F32 = 15
    F64_F64_F64 = 16

    def __str__(self) -> str:
        return self.name


class AccuracyMode(enum.Enum):
    """How exactly a function is computed; every function has one accuracy here, so both mean the same.

    Example:
        >>> AccuracyMode.HIGHEST
        <AccuracyMode.HIGHEST: 1>
    """

    HIGHEST = 1
    DEFAULT = 2


@final
@frozen
class Tolerance:
    """How far a function may be off; every function has one accuracy here, whatever is allowed.

    Raises:
        ArgumentError: nothing is given, or a number is negative or not finite.

    Example:
        >>> Tolerance(ulps=2)
        Tolerance(atol=0.0, rtol=0.0, ulps=2)
    """

    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0

    def __post_init__(self) -> None:
        given: tuple[object, ...] = (self.atol, self.rtol, self.ulps)
        for value in given:
            if not isinstance(value, (int, float)) or not 0 <= value < math.inf:
                raise ArgumentError(f"Tolerance: {shown(value)} is not a number of at least 0")
        if not any(given):
            raise ArgumentError("At least one of atol, rtol, or ulps must be set.")


_ONE: TypeAlias = str | Precision | DotAlgorithm | DotAlgorithmPreset
PrecisionLike: TypeAlias = _ONE | tuple[str, str] | tuple[Precision, Precision] | None
_PRECISIONS: Final[dict[str, PrecisionName]] = {
    "default": "default",
    "high": "high",
    "highest": "highest",
    "fastest": "default",
    "float32": "highest",
    "bfloat16": "default",
    "bfloat16_3x": "high",
    "tensorfloat32": "high",
    # presets of algorithms: at least so exact
    "f16_f16_f16": "default",
    "f16_f16_f32": "default",
    "bf16_bf16_bf16": "default",
    "bf16_bf16_f32": "default",
    "tf32_tf32_f32": "default",
    "bf16_bf16_f32_x3": "high",
    "tf32_tf32_f32_x3": "high",
    "bf16_bf16_f32_x6": "highest",
    "bf16_bf16_f32_x9": "highest",
    "f32_f32_f32": "highest",
    "f64_f64_f64": "highest",
}


def precision_name(precision: PrecisionLike) -> PrecisionName:
    """Return a `precision` argument as the primitive's: the higher one of a pair, or what is set if there is none.

    Raises:
        ArgumentError: there is no such precision; UnsupportedError: it is one of 8-bit floats.
    """
    if precision is None:
        precision = MATMUL_PRECISION()
        if precision is None:
            return "default"
    if isinstance(precision, DotAlgorithm):
        return "highest"
    if isinstance(precision, (tuple, list)) and len(precision) == 2:
        one, other = [None if isinstance(p, (tuple, list)) else p for p in precision]
        if one is not None and other is not None:
            return max(
                precision_name(one), precision_name(other), key=get_args(PrecisionName).index
            )
    if isinstance(precision, (Precision, DotAlgorithmPreset)):
        precision = precision.name
    name = precision.lower() if isinstance(precision, str) else None
    if name is not None and name.startswith("any_f8"):
        raise UnsupportedError(
            f"the precision {precision!r} is not supported", fix="convert the operands to bfloat16"
        )
    if name not in _PRECISIONS:
        raise ArgumentError(
            f"precision is {shown(precision)}, which is none of {', '.join(_PRECISIONS)}"
        )
    return _PRECISIONS[name]
