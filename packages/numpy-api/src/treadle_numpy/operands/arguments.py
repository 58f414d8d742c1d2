"""Arguments that exist for NumPy's sake only."""

from __future__ import annotations

from typing import Final

from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.errors import names

_FIXES: Final = {
    "out": "arrays never change: use the result of the function",
    "where": "choose afterwards, with `where(condition, result, x)`",
    "kind": "leave it out, or say `stable=True` or `stable=False`",
    "order": "leave it out: arrays have no fields and are row-major",
}


def named_only(function: str, **arguments: object) -> None:
    """Refuse arguments that exist for NumPy's sake only (`out`, `order`, `where` of ufuncs).

    Raises:
        UnsupportedError: one of them is given.
    """
    for name, value in arguments.items():
        if value is not None:
            raise UnsupportedError(
                f"{function}: the argument `{name}` is not supported",
                fix=_FIXES.get(name),
            )


def row_major(function: str, order: str | None) -> None:
    """Refuse an order of elements in memory that is not arrays' own.

    Raises:
        ArgumentError: the order is given, and not an order that row-major arrays have.
    """
    names(function, order=order)
    if order not in (None, "K", "C", "A"):
        raise ArgumentError(
            f"{function}: order is {order!r}, but arrays are row-major", fix="leave `order` out"
        )
