"""How the rest of treadle knows a symbolic size without importing what it can do."""

from __future__ import annotations


class Symbolic:
    """The base of symbolic dimensions; where annotations say `int`, a size may be one."""

    __slots__ = ()


def is_symbolic(shape: tuple[object, ...]) -> bool:
    """Whether a size of a shape is symbolic."""
    return any([isinstance(n, Symbolic) for n in shape])
