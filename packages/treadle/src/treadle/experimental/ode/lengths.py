"""`map` and `zip` that refuse sequences of different lengths, under the names that JAX's module has for them."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

from treadle.api_util import safe_map
from treadle_ir import ArgumentError
from treadle_ir.errors import boundaries, sequence

__all__ = ["map", "zip"]

map = safe_map


def zip(*args: Iterable[Any]) -> list[tuple[Any, ...]]:  # Any: what the sequences hold
    """Return the elements of sequences of the same length, side by side, as a list.

    Raises:
        ArgumentError: there is no sequence, or their lengths differ.

    Example:
        >>> from treadle.experimental import ode
        >>> ode.zip([1, 2], [3, 4])
        [(1, 3), (2, 4)]
    """
    if not args:
        raise ArgumentError("zip: there is no argument", fix="pass at least one sequence")
    lists = [sequence("zip", f"argument {i}", each) for i, each in enumerate(args, 1)]
    lengths = [len(each) for each in lists]
    if len(set(lengths)) > 1:
        raise ArgumentError(f"zip: the lengths are {lengths}, which differ")
    return list(builtins.zip(*lists, strict=True))


boundaries(__name__)
