"""Why tests of the libraries' own suites fail on treadle: the first pattern that a failure matches names its reason."""

from __future__ import annotations

import re
from typing import Final

# The library, a pattern of the test's name and one of the message of the failure, and the reason.
REASONS: Final[tuple[tuple[str, str, str, str], ...]] = (
    (
        "chex",
        "NumericalGradsAssertTest",
        "assert_numerical_grads",
        "`check_grads` at a point where the function jumps: treadle compares each element, JAX a random direction",
    ),
    ("chex", "fake_", "CPUs available", "the number of CPU devices is set by another variable"),
    ("", "", "initialize.*Unknown backend", "the wording of an error is looked for: platforms"),
    (
        "",
        "",
        "does not match",
        "the wording of an error of JAX's is looked for; treadle's says the same otherwise",
    ),
    ("", "", "TraceTag", "`jax.core.TraceTag`"),
    ("", "", "out_sharding", "`out_sharding`: explicit axes"),
    ("", "", "hijax", "`jax.experimental.hijax`: types of a user's own"),
    (
        "",
        "",
        "random keys are no numbers",
        "chex takes keys apart by arithmetic; treadle's keys have none",
    ),
    (
        "",
        "is_traceable|AssertMaxTraces",
        "",
        "the class of jitted functions is asked for, which is jaxlib's in JAX",
    ),
)


def reason(library: str, test: str, message: str) -> str:
    """The reason of a failure, or its message where none is known."""
    for of, name, text, why in REASONS:
        if of in (library, "") and re.search(name, test) and re.search(text, message):
            return why
    return f"not looked into: `{message[:120].strip()}`"
