"""The exception classes, by treadle's names and by JAX's: every error and warning that treadle raises on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir import lazy_names as _lazy_names

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
        AxisError as AxisError,
        AxisNameError as AxisNameError,
        CheckError as CheckError,
        ConcretizationError as ConcretizationError,
        DerivativeError as DerivativeError,
        DerivativeMismatchError as DerivativeMismatchError,
        DivisionByZeroError as DivisionByZeroError,
        DonatedError as DonatedError,
        DTypeError as DTypeError,
        EscapedTracerError as EscapedTracerError,
        ExecutionError as ExecutionError,
        FailedCheckError as FailedCheckError,
        IndexingError as IndexingError,
        KeyReuseError as KeyReuseError,
        LeakedTracerError as LeakedTracerError,
        MissingRuleError as MissingRuleError,
        NaNError as NaNError,
        NoMeshError as NoMeshError,
        NonConcreteBooleanIndexError as NonConcreteBooleanIndexError,
        OutOfBoundsError as OutOfBoundsError,
        OutOfMemoryError as OutOfMemoryError,
        ParseError as ParseError,
        PlacementError as PlacementError,
        RangeError as RangeError,
        ShapeError as ShapeError,
        ShardingError as ShardingError,
        ShardingTypeError as ShardingTypeError,
        StructureError as StructureError,
        SymbolicSizeError as SymbolicSizeError,
        TracerArrayConversionError as TracerArrayConversionError,
        TracerBoolConversionError as TracerBoolConversionError,
        TracerIntegerConversionError as TracerIntegerConversionError,
        TracingError as TracingError,
        TreadleError as TreadleError,
        TreeError as TreeError,
        UnsetRuleError as UnsetRuleError,
        UnsupportedError as UnsupportedError,
        UsageError as UsageError,
        VerifyError as VerifyError,
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
                "ArgumentError AxisError AxisNameError CheckError ConcretizationError "
                "ConcretizationError:ConcretizationTypeError DerivativeError "
                "DerivativeMismatchError DivisionByZeroError DonatedError DTypeError "
                "EscapedTracerError EscapedTracerError:UnexpectedTracerError ExecutionError "
                "ExecutionError:JaxRuntimeError FailedCheckError IndexingError "
                "IndexingError:JAXIndexError KeyReuseError LeakedTracerError MissingRuleError "
                "NaNError NoMeshError NonConcreteBooleanIndexError OutOfBoundsError "
                "OutOfMemoryError ParseError PlacementError RangeError ShapeError ShardingError "
                "ShardingTypeError StructureError SymbolicSizeError "
                "SymbolicSizeError:InconclusiveDimensionOperation TracerArrayConversionError "
                "TracerBoolConversionError TracerIntegerConversionError TracingError TreadleError "
                "TreeError UnsetRuleError UnsupportedError UsageError UsageError:JAXTypeError "
                "VerifyError VerifyError:JaxprTypeError ZeroStepError"
            ),
            "treadle_runtime": (
                "CallbackError DistributedError NoExecutionError NotFiniteError PlatformError "
                "PlatformWarning ProcessFailureError ProcessMismatchError TransferError"
            ),
        },
    )
