"""The exception classes, by treadle's names and by JAX's."""

from __future__ import annotations

from treadle_compiler import CompileError as CompileError
from treadle_ir import (
    ArgumentError as ArgumentError,
    ConcretizationError as ConcretizationError,
    DonatedError as DonatedError,
    DTypeError as DTypeError,
    EscapedTracerError as EscapedTracerError,
    ForwardModeError as ForwardModeError,
    MissingRuleError as MissingRuleError,
    ParseError as ParseError,
    PlacementError as PlacementError,
    RangeError as RangeError,
    ShapeError as ShapeError,
    StructureError as StructureError,
    TreadleError as TreadleError,
    VerifyError as VerifyError,
)
from treadle_ir.errors import (
    NonConcreteBooleanIndexError as NonConcreteBooleanIndexError,
    TracerArrayConversionError as TracerArrayConversionError,
    TracerBoolConversionError as TracerBoolConversionError,
    TracerIntegerConversionError as TracerIntegerConversionError,
)

ConcretizationTypeError = ConcretizationError
UnexpectedTracerError = EscapedTracerError
