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
        "an error is raised, but its wording does not match the test's pattern",
    ),
    (
        "flax",
        "test_cache_tracing",
        "",
        "each call of `lax.scan` outside of jit traces its function again; the test counts",
    ),
    (
        "flax",
        "test_(jit_rng_equivalance|jit_with_setup_helpers|transforms$)",
        "",
        "the test requires equal bits of jitted and eager results: the last bits differ",
    ),
    (
        "flax",
        "linen.summary_test",
        "",
        "the operations that XLA counts: treadle's program has a few more or fewer",
    ),
    (
        "",
        "",
        "experimental.layout|the layout is Layout",
        "`jax.experimental.layout`: how elements are ordered in memory",
    ),
    (
        "dm-haiku",
        "test_prng_sequence",
        "",
        "the test requires equal bits of jitted and eager results: the last bits differ",
    ),
    (
        "dm-haiku",
        "jaxpr_info_test",
        "",
        "the test compares the printed list of JAX's equations; treadle's are others",
    ),
    (
        "dm-haiku",
        "",
        "is a built-in module",
        "`inspect.stack` meets the module that the test puts in flax's place",
    ),
    (
        "numpyro",
        "test_log1mexp_agrees",
        "",
        "rounding of float32: off by 1.4e-6 of the value, the test allows fewer",
    ),
    (
        "numpyro",
        "test_handlers.test_scale",
        "Not equal to tolerance",
        "rounding of float32: off by one unit in the last place, 1.003e-7 of the value; the test allows 1e-7",
    ),
    (
        "numpyro",
        "test_bijective_transforms.transform18",
        "",
        "rounding of float32: the inverse of `L1BallTransform` magnifies it; of 61 draws 22 fail on JAX and 27 on "
        "treadle, and with 64 bits none on either",
    ),
    (
        "numpyro",
        "test_mean_var.Dirichlet-",
        "diag requires",
        "the test tells a TypeError from a ValueError: `jnp.diag` of three axes raises the latter on JAX, and on "
        "treadle a ShapeError, which is both",
    ),
    (
        "blackjax",
        "test_metrics.*dim_1__with_jit",
        "assert Array",
        "the test requires equal bits of jitted and eager results: the last bits differ",
    ),
    (
        "blackjax",
        "test_metrics",
        "Not equal to tolerance",
        "rounding of float32: the terms of a sum cancel, and it is off by less than a last place of theirs; the "
        "test allows 1e-7 of the sum",
    ),
    (
        "blackjax",
        "test_integrators",
        "Not equal to tolerance",
        "rounding of float32: off by 2e-6 of the value, the test allows 1e-6",
    ),
    (
        "distrax",
        "joint_test|uniform_test",
        "",
        "the test requires equal bits of jitted and eager results: the last bits differ",
    ),
    (
        "flax",
        "traceback_util_test",
        "",
        "flax hides its own lines in JAX's tracebacks; treadle's name them",
    ),
)


def reason(library: str, test: str, message: str) -> str:
    """The reason of a failure, or its message where none is known."""
    for of, name, text, why in REASONS:
        if of in (library, "") and re.search(name, test) and re.search(text, message):
            return why
    return f"not looked into: `{message[:120].strip()}`"


def reasons(found: dict[str, Any]) -> dict[str, int]:
    """Return how many tests of a suite's stored outcome fail for each reason; the commonest first."""
    failed = found["only_treadle"].items()
    counted = Counter(reason(found["library"], test, message) for test, message in failed)
    return dict(counted.most_common())
