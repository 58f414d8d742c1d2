"""Sites: the places of a program where something is checked, and the messages of failures there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.calling import as_array
from treadle_ir.errors import (
    CheckError,
    DivisionByZeroError,
    FailedCheckError,
    NaNError,
    OutOfBoundsError,
    boundaries,
)
from treadle_ir.process import frozen
from treadle_ir.tree import PyTreeDef, tree_unflatten

__all__ = [
    "ErrorCategory",
    "all_checks",
    "automatic_checks",
    "div_checks",
    "float_checks",
    "index_checks",
    "nan_checks",
    "user_checks",
]

ErrorCategory: TypeAlias = type[CheckError]
Categories: TypeAlias = frozenset[ErrorCategory]
Elements: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"  # Any: of any element type

user_checks: Final[Categories] = frozenset({FailedCheckError})
nan_checks: Final[Categories] = frozenset({NaNError})
index_checks: Final[Categories] = frozenset({OutOfBoundsError})
div_checks: Final[Categories] = frozenset({DivisionByZeroError})
float_checks: Final[Categories] = nan_checks | div_checks
automatic_checks: Final[Categories] = float_checks | index_checks
all_checks: Final[Categories] = automatic_checks | user_checks


@final
@frozen
class Site:
    """One place where something is checked.

    `message` is filled in with the values that the site reports (its payload): `structure` makes the positional and
    the named ones of the arrays, which have these `types`. `where` is the user's line.
    """

    category: ErrorCategory
    message: str
    structure: PyTreeDef
    types: tuple[ArrayType, ...]
    where: str

    def text(self, payload: Sequence[Elements]) -> str:
        """Return the message, with the values that were found."""
        positional, named = tree_unflatten(self.structure, list(map(as_array, payload)))
        return self.message.format(*positional, **named)

    def error(self, text: str) -> CheckError:
        """Return the error to raise."""
        return self.category(text, where=self.where)


boundaries(__name__)
