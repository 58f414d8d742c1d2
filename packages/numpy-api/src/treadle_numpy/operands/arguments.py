"""Arguments that exist for NumPy's sake only."""

from __future__ import annotations

from treadle_ir import UnsupportedError


def named_only(function: str, **arguments: object) -> None:
    """Refuse arguments that exist for NumPy's sake only (`out`, `order`, `where` of ufuncs).

    Raises:
        UnsupportedError: one of them is given.
    """
    for name, value in arguments.items():
        if value is not None:
            raise UnsupportedError(
                f"{function}: the argument `{name}` is not supported",
                fix="arrays never change: use the result of the function"
                if name == "out"
                else None,
            )
