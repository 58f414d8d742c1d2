"""The exception classes, by treadle's names and by JAX's: every error and warning that treadle raises on purpose."""

from __future__ import annotations

from treadle_compiler import (
    CacheWarning as CacheWarning,
    CompileError as CompileError,
    ForkError as ForkError,
    ModuleError as ModuleError,
    NestingError as NestingError,
)
from treadle_ir import (
    ArgumentError as ArgumentError,
    AxisError as AxisError,
    AxisNameError as AxisNameError,
    ConcretizationError as ConcretizationError,
    DerivativeError as DerivativeError,
    DonatedError as DonatedError,
    DTypeError as DTypeError,
    EscapedTracerError as EscapedTracerError,
    ExecutionError as ExecutionError,
    IndexingError as IndexingError,
    MissingRuleError as MissingRuleError,
    NonConcreteBooleanIndexError as NonConcreteBooleanIndexError,
    OutOfMemoryError as OutOfMemoryError,
    ParseError as ParseError,
    PlacementError as PlacementError,
    RangeError as RangeError,
    ShapeError as ShapeError,
    StructureError as StructureError,
    TracerArrayConversionError as TracerArrayConversionError,
    TracerBoolConversionError as TracerBoolConversionError,
    TracerIntegerConversionError as TracerIntegerConversionError,
    TreadleError as TreadleError,
    TreeError as TreeError,
    UnsupportedError as UnsupportedError,
    VerifyError as VerifyError,
)
from treadle_runtime import (
    CallbackError as CallbackError,
    PlatformError as PlatformError,
    PlatformWarning as PlatformWarning,
)

ConcretizationTypeError = ConcretizationError
UnexpectedTracerError = EscapedTracerError


def name_classes() -> None:
    """Let tracebacks show each class where users find it: `treadle.errors.ShapeError`."""
    for each in list(globals().values()):
        if isinstance(each, type) and issubclass(each, (TreadleError, Warning)):
            each.__module__ = __name__
