"""Refuse releases of other libraries that treadle cannot work with, and name the command that installs another.

pip keeps such releases away; they are met where a package was installed with `--no-deps`, or something else moved a
library afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

Release: TypeAlias = tuple[int, int, int]


def release_of(text: str) -> Release:
    """Return the numbers of a release; what follows them, as in `0.11.0.dev1`, is left out.

    Example:
        >>> release_of("0.10.2"), release_of("0.12.0.1"), release_of("1.0rc1")
        ((0, 10, 2), (0, 12, 0), (1, 0, 0))
    """
    found = [int(number) for number in re.findall(r"\d+", text.split("rc", maxsplit=1)[0])[:3]]
    first, second, third = [*found, 0, 0, 0][:3]
    return first, second, third


def wrong_release(library: str, installed: str, wanted: str, reason: str = "") -> ImportError:
    """Return the error for a library of a release that treadle does not work with; `wanted` is as pip has it."""
    error = ImportError(
        f"treadle needs {library} {wanted}, but {library} {installed} is installed{reason}",
        name=library,
    )
    error.add_note(f'  fix: python -m pip install "{library}{wanted}"')
    return error


def refuse_without(library: object, installed: str, wanted: str, names: Iterable[str]) -> None:
    """Refuse a module that lacks names which treadle needs; its release is not asked.

    Raises:
        ImportError: it lacks one.
    """
    for name in names:
        if not hasattr(library, name):
            module = getattr(library, "__name__", "")
            raise wrong_release(module, installed, wanted, f", which lacks {name}")
