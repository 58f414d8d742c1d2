"""Settings: their declarations, the parsers of their values, and the context that holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.settings.context import (
        SETTINGS as SETTINGS,
        X64 as X64,
        Context as Context,
        Setting as Setting,
        context_overrides as context_overrides,
        current_context as current_context,
        environment_variables as environment_variables,
        named_axis as named_axis,
        one_of as one_of,
        overriding as overriding,
        process_context as process_context,
        read_prefix as read_prefix,
        yes_or_no as yes_or_no,
    )
    from treadle_ir.settings.declared import (
        ADVICE as ADVICE,
        CHECK_TRACER_LEAKS as CHECK_TRACER_LEAKS,
        DEBUG_INFS as DEBUG_INFS,
        DEBUG_KEY_REUSE as DEBUG_KEY_REUSE,
        DEBUG_NANS as DEBUG_NANS,
        DISABLE_JIT as DISABLE_JIT,
        ENABLE_CHECKS as ENABLE_CHECKS,
        EXPLAIN_CACHE_MISSES as EXPLAIN_CACHE_MISSES,
        EXPLICIT_X64 as EXPLICIT_X64,
        FULL_TRACEBACKS as FULL_TRACEBACKS,
        KEY_LISTENERS as KEY_LISTENERS,
        LEAK_LISTENERS as LEAK_LISTENERS,
        LOG_CHECKPOINT_RESIDUALS as LOG_CHECKPOINT_RESIDUALS,
        LOG_COMPILES as LOG_COMPILES,
        LOGGING_LEVEL as LOGGING_LEVEL,
        MUTABLE_ARRAY_CHECKS as MUTABLE_ARRAY_CHECKS,
        NO_TRACING as NO_TRACING,
        PPRINT_USE_COLOR as PPRINT_USE_COLOR,
        ROLL as ROLL,
        SIMPLIFY as SIMPLIFY,
        TRACEBACK_FILTERING as TRACEBACK_FILTERING,
        TRACEBACK_FRAMES as TRACEBACK_FRAMES,
    )
    from treadle_ir.settings.parsers import (
        only as only,
        path_or_none as path_or_none,
        seconds as seconds,
        whole_number as whole_number,
        words_among as words_among,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.settings.context": (
                "SETTINGS X64 Context Setting context_overrides current_context "
                "environment_variables named_axis one_of overriding process_context read_prefix "
                "yes_or_no"
            ),
            "treadle_ir.settings.declared": (
                "ADVICE CHECK_TRACER_LEAKS DEBUG_INFS DEBUG_KEY_REUSE DEBUG_NANS DISABLE_JIT "
                "ENABLE_CHECKS EXPLAIN_CACHE_MISSES EXPLICIT_X64 FULL_TRACEBACKS KEY_LISTENERS "
                "LEAK_LISTENERS LOG_CHECKPOINT_RESIDUALS LOG_COMPILES LOGGING_LEVEL "
                "MUTABLE_ARRAY_CHECKS NO_TRACING PPRINT_USE_COLOR ROLL SIMPLIFY "
                "TRACEBACK_FILTERING TRACEBACK_FRAMES"
            ),
            "treadle_ir.settings.parsers": "only path_or_none seconds whole_number words_among",
        },
    )
