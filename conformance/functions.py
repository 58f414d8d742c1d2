"""Tell functions apart: by the decorator that made them, and from their aliases.

A public function's code object is its own copy (`treadle_ir.errors.boundary` adds a handler), so comparing code by
identity tells nothing.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from treadle_ir.calling import composed


def made_by(function: Any, *examples: Any) -> bool:
    """Return whether the decorator of one of `examples` made `function`: both run the same lines of source.

    Args:
        function: anything.
        examples: functions that decorators returned.
    """
    source = _source(function)
    return source is not None and source in map(_source, examples)


def is_composed(function: Any, *, loops: bool) -> bool:
    """Return whether `composed` made a function.

    Args:
        function: anything.
        loops: whether the function was composed with `loops=True`.
    """
    if not made_by(function, *_COMPOSED):
        return False
    code = function.__code__
    cell = function.__closure__[code.co_freevars.index("loops")]
    return cell.cell_contents is loops


def identity(function: Any) -> Hashable:
    """Return the identity that a function shares with its aliases (`treadle_ir.errors.alias`) alone."""
    code = getattr(function, "__code__", None)
    if code is None:
        return id(function)
    return code, tuple(map(id, function.__closure__ or ()))


def _source(function: Any) -> Hashable:
    """Return the file and the qualified name of a function's code; None for what has no code."""
    code = getattr(function, "__code__", None)
    return None if code is None else (code.co_filename, code.co_qualname)


_COMPOSED: Final = (composed(lambda: None), composed(numbers=["x"])(lambda x: x))
