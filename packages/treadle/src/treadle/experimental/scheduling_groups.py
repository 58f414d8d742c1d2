"""Functions whose operations XLA schedules together: attributes of calls, as `experimental.xla_metadata` gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from treadle.experimental.xla_metadata import xla_metadata_call as xla_metadata_call
from treadle_ir.errors import boundaries, names

__all__ = ["scheduling_group", "xla_metadata_call"]

F = TypeVar("F", bound=Callable[..., Any])


def scheduling_group(name: str) -> Callable[[F], F]:
    """Return a decorator: the operations of the function, and the call of it, have the attribute `scheduling_group`.

    Compilers that do not know the attribute ignore it, and so does the CPU's.

    Raises:
        ArgumentError: `name` is not a string.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.scheduling_groups import scheduling_group
        >>> f = scheduling_group("loads")(lambda x: tnp.sin(x) * 2)
        >>> 'scheduling_group = "loads"' in treadle.jit(f).lower(1.0).as_text()
        True
    """
    names("scheduling_group", name=name)
    return xla_metadata_call(scheduling_group=name)


boundaries(__name__)
