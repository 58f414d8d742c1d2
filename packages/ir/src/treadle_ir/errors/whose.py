"""Who applies an operation: the user, or a function of the library.

Settings such as `numpy_rank_promotion` and `numpy_dtype_promotion` are about operations that users write. A function of
the library may broadcast and convert as it likes: its operands are the user's, its operations are not. The answer is
read from the stack, and only where it matters: operands were refused already, or a setting is in force.

If the operation is the user's own, one function of the library is between the user's line and the check:
`tnp.multiply`, or `poisson.pmf` with `logpmf` and the shared functions of the folder `stats`. If functions of two
folders are on the stack, the first one called the second, as `signal.welch` computes `x * window`. Modules that only
forward calls and operands are ignored.

See decisions/0119-settings-are-about-users-operations.md.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Final

from treadle_ir.errors.source import is_internal

# Modules that only forward calls from users to the function that they called.
_CARRIES: Final = (
    *("treadle_ir.", "treadle_autodiff.", "treadle_batching.", "treadle_compiler."),
    *("treadle_runtime.", "treadle_numpy.operands.", "treadle_numpy.lax.joining"),
    *("functools", "contextlib"),
)
_OPERATORS: Final = "treadle_numpy.arrays"  # operators and methods call the function of their name


def is_users() -> bool:
    """Return whether the user wrote the operation that is being applied.

    Example:
        >>> is_users()
        True
    """
    frame: FrameType | None = sys._getframe(1)
    folders: list[str] = []
    while frame is not None and is_internal(frame.f_code.co_filename):
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(_CARRIES):
            folders.append(module.rpartition(".")[0])
        frame = frame.f_back
    while folders and folders[-1] == _OPERATORS:
        folders.pop()
    return len({*folders}) < 2
