"""The exception classes, by treadle's names and by JAX's: every error and warning that treadle raises on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle_compiler import (
        CacheError as CacheError,
        CacheWarning as CacheWarning,
        CompileError as CompileError,
        ForkError as ForkError,
        ModuleError as ModuleError,
        NestingError as NestingError,
    )
    from treadle_ir import (
        ArgumentError as ArgumentError,
        DTypeError as DTypeError,
        MissingRuleError as MissingRuleError,
        ParseError as ParseError,
        ShapeError as ShapeError,
        TreadleError as TreadleError,
        UnsupportedError as UnsupportedError,
        VerifyError as VerifyError,
    )
    from treadle_ir.errors import (
        AxisError as AxisError,
        AxisNameError as AxisNameError,
        CheckError as CheckError,
        ConcretizationError as ConcretizationError,
        DerivativeError as DerivativeError,
        DerivativeMismatchError as DerivativeMismatchError,
        DivisionByZeroError as DivisionByZeroError,
        DonatedError as DonatedError,
        EscapedTracerError as EscapedTracerError,
        ExecutionError as ExecutionError,
        FailedCheckError as FailedCheckError,
        IndexingError as IndexingError,
        KeyReuseError as KeyReuseError,
        LeakedTracerError as LeakedTracerError,
        NaNError as NaNError,
        NoMeshError as NoMeshError,
        NonConcreteBooleanIndexError as NonConcreteBooleanIndexError,
        OutOfBoundsError as OutOfBoundsError,
        OutOfMemoryError as OutOfMemoryError,
        PlacementError as PlacementError,
        RangeError as RangeError,
        ShardingError as ShardingError,
        ShardingTypeError as ShardingTypeError,
        StructureError as StructureError,
        SymbolicSizeError as SymbolicSizeError,
        TracerArrayConversionError as TracerArrayConversionError,
        TracerBoolConversionError as TracerBoolConversionError,
        TracerIntegerConversionError as TracerIntegerConversionError,
        TracingError as TracingError,
        TreeError as TreeError,
        UnsetRuleError as UnsetRuleError,
        UsageError as UsageError,
        ZeroStepError as ZeroStepError,
    )
    from treadle_runtime import (
        CallbackError as CallbackError,
        DistributedError as DistributedError,
        NoExecutionError as NoExecutionError,
        NotFiniteError as NotFiniteError,
        PlatformError as PlatformError,
        PlatformWarning as PlatformWarning,
        ProcessFailureError as ProcessFailureError,
        ProcessMismatchError as ProcessMismatchError,
        TransferError as TransferError,
    )

    ConcretizationTypeError = ConcretizationError
    UnexpectedTracerError = EscapedTracerError
    JaxRuntimeError = ExecutionError
    JAXIndexError = IndexingError
    JAXTypeError = UsageError
    JaxprTypeError = VerifyError
    InconclusiveDimensionOperation = SymbolicSizeError

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_compiler": (
                "CacheError CacheWarning CompileError ForkError ModuleError NestingError"
            ),
            "treadle_ir": (
                "ArgumentError DTypeError MissingRuleError ParseError ShapeError TreadleError "
                "UnsupportedError VerifyError VerifyError:JaxprTypeError"
            ),
            "treadle_ir.errors": (
                "AxisError AxisNameError CheckError ConcretizationError "
                "ConcretizationError:ConcretizationTypeError DerivativeError "
                "DerivativeMismatchError DivisionByZeroError DonatedError EscapedTracerError "
                "EscapedTracerError:UnexpectedTracerError ExecutionError "
                "ExecutionError:JaxRuntimeError FailedCheckError IndexingError "
                "IndexingError:JAXIndexError KeyReuseError LeakedTracerError NaNError NoMeshError "
                "NonConcreteBooleanIndexError OutOfBoundsError OutOfMemoryError PlacementError "
                "RangeError ShardingError ShardingTypeError StructureError SymbolicSizeError "
                "SymbolicSizeError:InconclusiveDimensionOperation TracerArrayConversionError "
                "TracerBoolConversionError TracerIntegerConversionError TracingError TreeError "
                "UnsetRuleError UsageError UsageError:JAXTypeError ZeroStepError"
            ),
            "treadle_runtime": (
                "CallbackError DistributedError NoExecutionError NotFiniteError PlatformError "
                "PlatformWarning ProcessFailureError ProcessMismatchError TransferError"
            ),
        },
    )
