"""`jax._src.traceback_util`: for equinox, flax and jaxtyping, whose own lines are to be left out of tracebacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from treadle.extend.source_info_util import register_exclusion as register_exclusion
from treadle_ir.errors import source

F = TypeVar("F", bound=Callable[..., Any])

_exclude_paths: list[str] = []  # flax takes its own lines out of it and puts them back


def include_frame(frame: Any) -> bool:  # Any: a frame of a traceback
    """Return whether a frame is a user's."""
    return not source.is_internal(frame.f_code.co_filename)


def api_boundary(fun: F, **_: object) -> F:
    """Return the function: treadle's own lines are left out of tracebacks without a mark."""
    return fun
