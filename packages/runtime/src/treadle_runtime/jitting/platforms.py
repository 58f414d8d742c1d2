"""The platforms for which programs can be lowered."""

from __future__ import annotations

from typing import Final

from treadle_ir import ArgumentError
from treadle_ir.errors import names, refused, sequence

PLATFORMS: Final = ("cpu", "cuda", "rocm", "tpu")
"""Their public names."""


def platforms_of(function: str, parameter: str, given: object) -> tuple[str, ...]:
    """Return the platforms that a user requests, without repetitions; empty if `given` is None.

    Raises:
        ArgumentError: `given` is not a sequence of platform names.
    """
    if given is None:
        return ()
    if isinstance(given, str):
        raise refused(function, parameter, "a list of strings", given)
    wanted = tuple(sequence(function, parameter, given))
    for each in wanted:
        names(function, **{parameter: each})
        if each not in PLATFORMS:
            raise ArgumentError(
                f"{function}: there is no platform {each!r}; there are {', '.join(PLATFORMS)}",
                fix='write "cuda" or "rocm" for a GPU',
            )
    return tuple(dict.fromkeys(wanted))
