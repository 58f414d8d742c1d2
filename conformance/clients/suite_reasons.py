"""Why tests of the libraries' own suites fail on treadle: the first pattern that a failure matches names its reason."""

from __future__ import annotations

import re
from typing import Final

# The library, a pattern of the test's name and one of the message of the failure, and the reason.
REASONS: Final[tuple[tuple[str, str, str, str], ...]] = ()


def reason(library: str, test: str, message: str) -> str:
    """The reason of a failure, or its message where none is known."""
    for of, name, text, why in REASONS:
        if of in (library, "") and re.search(name, test) and re.search(text, message):
            return why
    return f"not looked into: `{message[:120].strip()}`"
