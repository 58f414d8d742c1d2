"""Why tests of the libraries' own suites fail on treadle: the first pattern that a failure matches names its reason."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

# The library, a pattern of the test's name and one of the message of the failure, and the reason.
REASONS: Final[tuple[tuple[str, str, str, str], ...]] = (
    (
        "",
        "",
        '" does not match "',
        "an error is raised, and in other words than the test looks for",
    ),
    (
        "",
        "",
        "'NoneType' object has no attribute 'is_fully_replicated'",
        "`typeof(x).sharding` is None, as types show no explicit axes",
    ),
    ("", "", "out_sharding", "`out_sharding`, of explicit axes"),
    ("", "", "hijax", "`jax.experimental.hijax`: types of a user's own"),
    (
        "",
        "",
        "check: random keys are no numbers",
        "`checkify.check` refuses random keys in its message",
    ),
)


def reason(library: str, test: str, message: str) -> str:
    """The reason of a failure, or its message where none is known."""
    for of, name, text, why in REASONS:
        if of in (library, "") and re.search(name, test) and re.search(text, message):
            return why
    return f"not looked into: `{message[:120].strip()}`"


def reasons(found: dict[str, Any]) -> dict[str, int]:
    """How many tests of a suite's stored outcome fail for each reason; the commonest first."""
    failed = found["only_treadle"].items()
    counted = Counter(reason(found["library"], test, message) for test, message in failed)
    return dict(counted.most_common())
