"""Errors: their classes, the user's line that they name, checks of arguments, tracebacks without inner frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.errors.argument_checks import (
        classes as classes,
        element_type as element_type,
        flags as flags,
        functions as functions,
        integer as integer,
        integer_or_none as integer_or_none,
        integers as integers,
        integers_or_none as integers_or_none,
        names as names,
        number as number,
        pairs as pairs,
        refused as refused,
        sequence as sequence,
        sequence_or_none as sequence_or_none,
        shown as shown,
    )
    from treadle_ir.errors.deprecation import (
        deprecated as deprecated,
        warn_deprecated as warn_deprecated,
    )
    from treadle_ir.errors.kinds import (
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
        allocating as allocating,
        did_you_mean as did_you_mean,
        during as during,
        out_of_memory as out_of_memory,
        out_of_range as out_of_range,
        show_as as show_as,
    )
    from treadle_ir.errors.lazily import (
        NamespaceHooks as NamespaceHooks,
        import_module as import_module,
        lazy_names as lazy_names,
        module_or_none as module_or_none,
        room_names as room_names,
        unknown_name as unknown_name,
    )
    from treadle_ir.errors.other_libraries import (
        conversion_of as conversion_of,
        is_convertible as is_convertible,
        refusal as refusal,
    )
    from treadle_ir.errors.source import (
        NOWHERE as NOWHERE,
        Source as Source,
        capture as capture,
        is_internal as is_internal,
        kind_of_file as kind_of_file,
        location_of as location_of,
        operation_source as operation_source,
        short_name as short_name,
        user_frame as user_frame,
        user_stacklevel as user_stacklevel,
        within as within,
    )
    from treadle_ir.errors.stored_names import stored_name as stored_name
    from treadle_ir.errors.tracebacks import (
        NO_BOUNDARY as NO_BOUNDARY,
        boundaries as boundaries,
        boundary as boundary,
        has_handler as has_handler,
    )
    from treadle_ir.errors.whose import is_users as is_users
    from treadle_ir.errors.wrapping import (
        alias as alias,
        forwarded as forwarded,
        shown_as as shown_as,
        wraps as wraps,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.errors.argument_checks": (
                "classes element_type flags functions integer integer_or_none integers "
                "integers_or_none names number pairs refused sequence sequence_or_none shown"
            ),
            "treadle_ir.errors.deprecation": "deprecated warn_deprecated",
            "treadle_ir.errors.kinds": (
                "ArgumentError AxisError AxisNameError CheckError ConcretizationError "
                "DerivativeError DerivativeMismatchError DivisionByZeroError DonatedError "
                "DTypeError EscapedTracerError ExecutionError FailedCheckError IndexingError "
                "KeyReuseError LeakedTracerError MissingRuleError NaNError NoMeshError "
                "NonConcreteBooleanIndexError OutOfBoundsError OutOfMemoryError ParseError "
                "PlacementError RangeError ShapeError ShardingError ShardingTypeError "
                "StructureError SymbolicSizeError TracerArrayConversionError "
                "TracerBoolConversionError TracerIntegerConversionError TracingError TreadleError "
                "TreeError UnsetRuleError UnsupportedError UsageError VerifyError ZeroStepError "
                "allocating did_you_mean during out_of_memory out_of_range show_as"
            ),
            "treadle_ir.errors.lazily": (
                "NamespaceHooks import_module lazy_names module_or_none room_names unknown_name"
            ),
            "treadle_ir.errors.other_libraries": "conversion_of is_convertible refusal",
            "treadle_ir.errors.source": (
                "NOWHERE Source capture is_internal kind_of_file location_of operation_source "
                "short_name user_frame user_stacklevel within"
            ),
            "treadle_ir.errors.stored_names": "stored_name",
            "treadle_ir.errors.tracebacks": "NO_BOUNDARY boundaries boundary has_handler",
            "treadle_ir.errors.whose": "is_users",
            "treadle_ir.errors.wrapping": "alias forwarded shown_as wraps",
        },
    )
