"""NumPy's floating-point warnings, turned off at a fifth of the cost of `np.errstate`.

NumPy 2 keeps the state of `errstate` in a context variable. Where that is not so, `errstate` has to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np


# Any: two functions and what the first takes, in either of two ways
def _error_state() -> tuple[Any, Any, Any]:
    try:
        from numpy._core import umath  # noqa: PLC0415 - private: may be gone one day

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


# `token = quieten(SILENCE)`, and `restore(token)` in a `finally`.
quieten, restore, SILENCE = _error_state()
