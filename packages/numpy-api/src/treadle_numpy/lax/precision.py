"""How exactly an accelerator multiplies."""

from __future__ import annotations

import enum
from typing import Final, TypeAlias, get_args

from treadle_ir import ArgumentError, shown
from treadle_ir.primitives.contract import Precision as PrecisionName
from treadle_numpy.settings import MATMUL_PRECISION

__all__ = ["Precision", "PrecisionLike"]


class Precision(enum.Enum):
    """How exactly an accelerator multiplies."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2

    def __str__(self) -> str:
        return self.name


PrecisionLike: TypeAlias = str | Precision | tuple[str, str] | tuple[Precision, Precision] | None
_PRECISIONS: Final[dict[str, PrecisionName]] = {
    "default": "default",
    "high": "high",
    "highest": "highest",
    "fastest": "default",
    "float32": "highest",
    "bfloat16": "default",
    "bfloat16_3x": "high",
    "tensorfloat32": "high",
}


def precision_name(precision: PrecisionLike) -> PrecisionName:
    """A `precision` argument as the primitive's: the higher one of a pair, or what is set if there is none.

    Raises:
        ArgumentError: there is no such precision.
    """
    if precision is None:
        precision = MATMUL_PRECISION()
        if precision is None:
            return "default"
    if isinstance(precision, (tuple, list)) and len(precision) == 2:
        one, other = [None if isinstance(p, (tuple, list)) else p for p in precision]
        if one is not None and other is not None:
            return max(
                precision_name(one), precision_name(other), key=get_args(PrecisionName).index
            )
    name = precision.name.lower() if isinstance(precision, Precision) else precision
    name = name.lower() if isinstance(name, str) else None
    if name not in _PRECISIONS:
        raise ArgumentError(
            f"precision is {shown(precision)}, which is none of {', '.join(_PRECISIONS)}"
        )
    return _PRECISIONS[name]
