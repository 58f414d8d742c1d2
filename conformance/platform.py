"""The platform under test, and what it is known to lack.

`TREADLE_PLATFORMS` names it, as `lower_program` does: `cpu` where it is not set. Tests that start processes start them
on it (`environment`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

PLATFORM: Final = os.environ.get("TREADLE_PLATFORMS", "").partition(",")[0].strip() or "cpu"
KIND: Final = "gpu" if PLATFORM in ("cuda", "rocm", "gpu") else PLATFORM
"""The marker of tests that are for this platform only: cpu, gpu or tpu."""

_NO_ROUTINE: Final = "neither cuSOLVER nor jaxlib's plugin has a routine"
_NOT_EXPANDED: Final = (
    "LAPACK and cuSOLVER are not there, and XLA's own expansions are not called yet"
)
_FACTORISATIONS: Final = (
    *("lu", "qr", "qr_reflections", "householder_product", "householder_multiply", "eigh", "svd"),
    *("eig", "schur", "hessenberg", "tridiagonal", "tridiagonal_solve"),
)
MISSING: Final[dict[tuple[str, str], str]] = {
    ("schur", "cuda"): _NO_ROUTINE,
    ("hessenberg", "cuda"): _NO_ROUTINE,
    **{(name, "tpu"): _NOT_EXPANDED for name in _FACTORISATIONS},
}
"""Operations that a platform lacks, with the reason. test_missing.py compares the table with what lowers
for each platform, whatever the platform under test: an entry that excuses nothing fails, and so does a lowering that
is missing without an entry."""


_ABOUT_THE_HOST: Final = "limits the host's memory, and an accelerator's arrays are not in it"
NOT_RUN: Final[dict[tuple[str, str], str]] = {
    ("faults/test_memory_limits.py", "gpu"): _ABOUT_THE_HOST,
    ("faults/test_memory_limits.py", "tpu"): _ABOUT_THE_HOST,
    ("distributed", "tpu"): "processes on one host cannot share its TPU",
}
"""Tests, by file or folder, that are not run on an accelerator of this kind, with the reason. Tests
that need several devices are not listed: they call `skip_without_devices`."""


def why_not_run(nodeid: str, kind: str = KIND) -> str | None:
    """The entry of `NOT_RUN` that speaks of a test on a kind of platform, if there is one."""
    path = nodeid.partition("::")[0].removeprefix("conformance/")
    return next(
        (
            f"is not run on a {kind.upper()}: {reason}"
            for (place, where), reason in NOT_RUN.items()
            if where == kind and (path == place or path.startswith(f"{place}/"))
        ),
        None,
    )


STARTING_SECONDS: Final = 0 if KIND == "cpu" else 30
"""How much longer a process may take on the platform under test, which it has to start, than on the CPU."""


def environment(devices: int = 1) -> dict[str, str]:
    """The variables for a process on the platform under test with at least so many devices."""
    if KIND == "cpu":
        return {"TREADLE_PLATFORMS": "cpu", "TREADLE_NUM_CPU_DEVICES": str(devices)}
    # The suite's own process has the device's memory as well: none of them takes it in advance.
    return {"TREADLE_PLATFORMS": f"{PLATFORM},cpu", "TREADLE_PREALLOCATE": "false"}


def skip_without_devices(count: int) -> None:
    """Skip a test that needs more devices than the accelerator under test has; the CPU has as many as one asks for."""
    if KIND != "cpu":
        import treadle  # noqa: PLC0415 - starts the platform, which tests of the CPU need not

        found = len(treadle.devices())
        if found < count:
            pytest.skip(f"needs {count} devices, and there are {found}")


@contextmanager
def what_the_platform_has(mnemonic: str) -> Iterator[None]:
    """Skip the test of an operation that the platform is known to lack; whatever else is missing fails."""
    from treadle_ir import MissingRuleError  # noqa: PLC0415 - peers read this module without treadle

    try:
        yield
    except MissingRuleError:
        reason = MISSING.get((mnemonic, PLATFORM))
        if reason is None:
            raise
        pytest.skip(f"{mnemonic} is missing on {PLATFORM}: {reason}")
