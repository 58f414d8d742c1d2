"""Errors as results: functions that check their values under jit, vmap and grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle.experimental.checkify.conditions import check as check, debug_check as debug_check
    from treadle.experimental.checkify.error import (
        Error as Error,
        JaxRuntimeError as JaxRuntimeError,
        check_error as check_error,
        init_error as init_error,
    )
    from treadle.experimental.checkify.sites import (
        ErrorCategory as ErrorCategory,
        all_checks as all_checks,
        automatic_checks as automatic_checks,
        div_checks as div_checks,
        float_checks as float_checks,
        index_checks as index_checks,
        nan_checks as nan_checks,
        user_checks as user_checks,
    )
    from treadle.experimental.checkify.transform import checkify as checkify

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle.experimental.checkify.conditions": "check debug_check",
            "treadle.experimental.checkify.error": "Error JaxRuntimeError check_error init_error",
            "treadle.experimental.checkify.sites": (
                "ErrorCategory all_checks automatic_checks div_checks float_checks index_checks "
                "nan_checks user_checks"
            ),
            "treadle.experimental.checkify.transform": "checkify",
        },
    )
