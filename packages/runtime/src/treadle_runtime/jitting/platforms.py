"""The platforms that programs are lowered for, here or for elsewhere."""

from __future__ import annotations

from typing import Final

from treadle_ir import ArgumentError, names, refused, sequence

PLATFORMS: Final = ("cpu", "cuda", "rocm", "tpu")
"""Their names, as users write them."""


def platforms_of(function: str, parameter: str, given: object) -> tuple[str, ...]:
    """The platforms that a user asks for, each once; none where nothing is said.

    Raises:
        ArgumentError: it is no sequence of their names.
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
