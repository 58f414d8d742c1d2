"""Suppression of NumPy's floating-point warnings, at a fifth of the cost of `np.errstate`.

NumPy 2 stores the state of `errstate` in a context variable. In releases that do not, `errstate` itself is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np


# Any: two functions and the argument of the first, in either of two implementations
def _error_state() -> tuple[Any, Any, Any]:
    try:
        from numpy._core import umath  # noqa: PLC0415 - private: may be removed one day

        variable = umath._extobj_contextvar
        return variable.set, variable.reset, umath._make_extobj(all="ignore")
    except (ImportError, AttributeError, TypeError):
        return _enter, _leave, None


def _enter(_: object) -> np.errstate:
    state = np.errstate(all="ignore")
    state.__enter__()
    return state


def _leave(state: np.errstate) -> None:
    state.__exit__(None, None, None)


# `token = suppress_fp_warnings(IGNORED)`, and `restore(token)` in a `finally`.
suppress_fp_warnings, restore, IGNORED = _error_state()
