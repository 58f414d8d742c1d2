"""Whose an operation is: the user's, or one that a function of the library makes for itself.

Settings such as `numpy_rank_promotion` and `numpy_dtype_promotion` are about what users write. A function of the
library may broadcast and convert as it likes: its operands are the user's, its operations are not. Who asks is read
from the frames, and only where the answer matters: operands were refused already, or a setting is in force.

Between the user's line and the check there is one function of the library where the operation is the user's own:
`tnp.multiply`, or `poisson.pmf` with `logpmf` and what the folder `stats` shares. Where functions of two folders are on
the way, the second one was called by the first, as `x * window` is in `signal.welch`. What carries calls and operands
on counts for nothing.

See decisions/0119-settings-are-about-users-operations.md.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Final

from treadle_ir.errors.source import is_internal

# What brings a call from users to the function that they called.
_CARRIES: Final = (
    *("treadle_ir.", "treadle_autodiff.", "treadle_batching.", "treadle_compiler."),
    *("treadle_runtime.", "treadle_numpy.operands.", "treadle_numpy.lax.joining"),
    *("functools", "contextlib"),
)
_OPERATORS: Final = "treadle_numpy.arrays"  # they and methods call the function of that name


def is_users() -> bool:
    """Whether the operation that is being made is one that the user wrote.

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
